/** Ranges of days: which there are, how they are recognised in a filter, and what they are called. */

import { describe, expect, test } from 'vitest';
import { endOfDay, startOfDay, today } from '../../console/src/format/local-time.ts';
import { partsOf, replacePart } from '../../console/src/query/chip-parts.ts';
import { draftOf, newDraft, withOperator, withRange } from '../../console/src/query/condition-draft.ts';
import { spoken } from '../../console/src/query/condition-words.ts';
import { dayRangeIn, nameOfRange, rangeNamed } from '../../console/src/query/day-range.ts';
import { meaningOf } from '../../console/src/query/meaning-of-draft.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import { createDate } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

const between = (first: string, last: string, field = 'create_date') =>
  `${field}>=${startOfDay(first)}&${field}<${endOfDay(last)}`;

test.each([
  ['today', '2026-03-01', { first: '2026-03-01', last: '2026-03-01' }],
  ['in the last 7 days', '2026-03-01', { first: '2026-02-23', last: '2026-03-01' }],
  ['this month', '2024-02-29', { first: '2024-02-01', last: '2024-02-29' }],
  ['this month', '2026-12-31', { first: '2026-12-01', last: '2026-12-31' }],
] as const)('%s on %s', (name, day, range) => {
  expect(rangeNamed(name, day)).toEqual(range);
  expect(nameOfRange(range, day)).toBe(name);
});

describe('in a filter', () => {
  test('are the conditions from the start of a day to the end of another, on one field', () => {
    expect(dayRangeIn(product, parsedFilter(between('2026-01-05', '2026-02-10')))).toMatchObject({
      ...{ field: { name: 'create_date' }, first: '2026-01-05', last: '2026-02-10' },
    });
  });

  test.each([
    ['one bound', `create_date>=${startOfDay('2026-01-05')}`],
    ['two fields', `create_date>=${startOfDay('2026-01-05')}&write_date<${endOfDay('2026-01-05')}`],
    ['numbers', 'list_price>=1&list_price<2'],
    ['a time within a day', `create_date>=2026-01-05T10:11:12Z&create_date<${endOfDay('2026-01-06')}`],
    ['an end before the start', `create_date>=${startOfDay('2026-02-05')}&create_date<${startOfDay('2026-01-05')}`],
    ['alternatives', between('2026-01-05', '2026-02-10').replace('&', '|')],
  ])('are not %s', (_, text) => {
    expect(dayRangeIn(product, parsedFilter(text))).toBeUndefined();
  });

  test('are one chip among others, which is replaced and removed as a whole', () => {
    const filter = parsedFilter(`active=true&${between('2026-01-05', '2026-01-05')}&name*oak`);
    if (filter.kind !== 'and') throw new Error('it is a junction');
    const parts = partsOf(product, filter, []);
    expect(parts).toMatchObject([{ part: { count: 1 } }, { part: { path: [1], count: 2 } }, { part: { path: [3] } }]);
    const [, days] = parts;
    if (days?.kind !== 'chip') throw new Error('it is a chip');
    expect(spoken(product, days.part.condition)).toBe('Created on Jan 5, 2026');
    const printed = (by?: string) => {
      const changed = replacePart(filter, days.part, by === undefined ? undefined : parsedFilter(by));
      return changed && printFilter(changed);
    };
    expect(printed()).toBe('active=true&name*oak');
    expect(printed('id=7')).toBe('active=true&id=7&name*oak');
  });
});

describe('while they are edited', () => {
  const draft = newDraft(createDate);

  test('one with a name has its days, and is called so', () => {
    const meaning = meaningOf(withRange(draft, 'today'));
    if (meaning.kind !== 'filter') throw new Error('there is nothing to ask');
    expect(printFilter(meaning.filter)).toBe(between(today(), today()));
    expect(spoken(product, meaning.filter)).toBe('Created today');
  });

  test('the days of one are those with which the next begins, and an operator takes the first', () => {
    const field = findField(product, 'create_date');
    const chosen = draftOf(product, parsedFilter(between('2026-01-05', '2026-02-10')));
    expect(chosen).toMatchObject({ field, range: 'between', values: [{ text: '2026-01-05' }, { text: '2026-02-10' }] });
    if (chosen === undefined) return;
    expect(withRange(withRange(chosen, 'today'), 'between').values).toMatchObject([
      { text: today() },
      { text: today() },
    ]);
    expect(withOperator(chosen, '<')).toEqual({
      field,
      operator: '<',
      values: [{ kind: 'typed', text: '2026-01-05' }],
    });
  });

  test('one day is missing: it is open at that end', () => {
    const half = { ...withRange(draft, 'between'), values: [{ kind: 'typed', text: '2026-01-05' } as const, null] };
    const meaning = meaningOf(half);
    expect(meaning.kind === 'filter' && printFilter(meaning.filter)).toBe(`create_date>=${startOfDay('2026-01-05')}`);
  });
});
