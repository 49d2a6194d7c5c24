/** A request for an aggregate: measures, facets, and the order of groups. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { fieldNames } from '../../src/catalog/resource.ts';
import { facetName, measureName, planAggregate } from '../../src/plan/aggregate.ts';
import { planned } from '../support/fixture.ts';

type Values = Readonly<Record<string, string>>;
const aggregate = (values: Values) => planAggregate(product, { values, continuations: [] });
const measures = (text: string) => planned(aggregate({ measures: text })).measures.map(measureName);
const facets = (text: string) => planned(aggregate({ facets: text })).facets.map(facetName);
const FIELDS = `The fields are ${fieldNames(product).join(', ')}.`;

test('without parameters, the number of records', () => {
  expect(aggregate({})).toMatchObject({
    ...{ resource: product, where: undefined, limit: 10 },
    ...{ measures: [{ kind: 'count' }], facets: [], order: { kind: 'count' } },
  });
});

test('with all of them', () => {
  const values = { filter: 'id>1', q: 'oak', measures: 'sum(id)', facets: 'active', sort: 'sum(id)', limit: '7' };
  expect(aggregate(values)).toMatchObject({
    ...{ filter: { field: { text: 'id' } }, search: { words: [{ text: 'oak' }] }, where: { kind: 'and' }, limit: 7 },
    ...{ measures: [{ kind: 'sum', of: [{ name: 'id' }] }], facets: [{ field: { name: 'active' } }] },
    order: { kind: 'sum', of: [{ name: 'id' }] },
  });
});

test.each([
  [{ q: 'x'.repeat(501), measures: 'x', facets: 'x', sort: 'x', limit: '0' }, 'q'],
  [{ filter: 'x', measures: 'x', facets: 'x', sort: 'x', limit: '0' }, 'filter'],
  [{ measures: 'x', facets: 'x', sort: 'x', limit: '0' }, 'measures'],
  [{ facets: 'x', sort: 'x', limit: '0' }, 'facets'],
  [{ sort: 'x', limit: '0' }, 'sort'],
  [{ limit: '1001' }, 'limit'],
])('the first wrong parameter of %j is reported', (values, parameter) => {
  expect(aggregate(values)).toMatchObject({ context: { parameter } });
});

describe('measures', () => {
  test.each([
    ['count,sum(list_price),avg(id),min(write_date),max(active)', undefined],
    ['sum(list_price*qty_available),max(id*id)', undefined],
    [' count , sum( list_price * qty_available ) ', 'count,sum(list_price*qty_available)'],
    ['sum (id)', 'sum(id)'],
    ['count,sum(id),count,sum( id )', 'count,sum(id)'],
    ['min(categ_id),max(create_date),min(is_rsd_product)', undefined],
  ])('%s', (text, names = text) => {
    expect(measures(text)).toEqual(names.split(','));
  });

  const FORMS =
    'The measures are count, and sum(FIELD), avg(FIELD), min(FIELD), max(FIELD); also of products: sum(FIELD*FIELD).';

  test.each<[text: string, detail: string, suggestion: string, fixed: string | undefined]>([
    ['total', "There is no measure 'total'.", FORMS, undefined],
    ['', 'measures has an empty item.', FORMS, undefined],
    ['count,', 'measures has an empty item.', FORMS, undefined],
    ['(id)', "There is no measure '(id)'.", FORMS, undefined],
    ['sum', "There is no measure 'sum'.", FORMS, undefined],
    ['sum(id', "There is no measure 'sum(id'.", FORMS, undefined],
    ['sum(id)x', "There is no measure 'sum(id)x'.", FORMS, undefined],
    ['cuont', "There is no measure 'cuont'.", 'Did you mean count?', 'count'],
    ['count(*)', "There is no measure 'count(*)'.", 'Did you mean count?', 'count'],
    ['count,summ(id)', "There is no measure 'summ(id)'.", 'Did you mean sum(id)?', 'count,sum(id)'],
    ['SUM( id ),count', "There is no measure 'SUM( id )'.", 'Did you mean sum(id)?', 'sum(id),count'],
    ['average(id)', "There is no measure 'average(id)'.", FORMS, undefined],
    ['aver(id)', "There is no measure 'aver(id)'.", 'Did you mean avg(id)?', 'avg(id)'],
  ])('%j: %s', (text, detail, suggestion, fixed) => {
    expect(aggregate({ measures: text })).toEqual({
      code: 'invalid_measures',
      detail,
      context: { parameter: 'measures', suggestion, ...(fixed !== undefined && { fixed: { measures: fixed } }) },
    });
  });

  test.each<[text: string, detail: string, suggestion: string, fixed: string | undefined]>([
    ['sum()', 'measures has an empty name.', FIELDS, undefined],
    ['sum(list_price*)', 'measures has an empty name.', FIELDS, undefined],
    ['sum(colour)', "product has no field 'colour'.", FIELDS, undefined],
    [
      'count,avg(list_prise)',
      "product has no field 'list_prise'.",
      'Did you mean list_price?',
      'count,avg(list_price)',
    ],
    [
      'sum(list_prise*id),count',
      "product has no field 'list_prise'.",
      'Did you mean list_price?',
      'sum(list_price*id),count',
    ],
    ['sum(id*list_prise)', "product has no field 'list_prise'.", 'Did you mean list_price?', 'sum(id*list_price)'],
  ])('%s: %s', (text, detail, suggestion, fixed) => {
    expect(aggregate({ measures: text })).toEqual({
      code: 'unknown_field',
      detail,
      context: { parameter: 'measures', suggestion, ...(fixed !== undefined && { fixed: { measures: fixed } }) },
    });
  });

  const NUMBERS = 'id, list_price, qty_available, categ_id, product_tmpl_id';
  const ORDERED =
    'id, list_price, qty_available, active, categ_id, product_tmpl_id, is_rsd_product, create_date, write_date';

  test.each([
    ['sum(name)', 'sum is not possible on name, which holds text.', `sum is possible on ${NUMBERS}.`],
    [
      'avg(create_date)',
      'avg is not possible on create_date, which holds timestamps.',
      `avg is possible on ${NUMBERS}.`,
    ],
    ['sum(active)', 'sum is not possible on active, which holds true or false.', `sum is possible on ${NUMBERS}.`],
    ['min(name)', 'min is not possible on name, which holds text.', `min is possible on ${ORDERED}.`],
    [
      'max(list_price*create_date)',
      'A product is not possible on create_date, which holds timestamps.',
      `A product is possible on ${NUMBERS}.`,
    ],
    [
      'sum(active*id)',
      'A product is not possible on active, which holds true or false.',
      `A product is possible on ${NUMBERS}.`,
    ],
    [
      'sum(id*list_price*qty_available)',
      "'id*list_price*qty_available' has more than two factors, which is the limit.",
      'A measure is of a field, or of the product of two: sum(list_price*qty_available).',
    ],
  ])('%s: %s', (text, detail, suggestion) => {
    expect(aggregate({ measures: text })).toEqual({
      code: 'invalid_measures',
      detail,
      context: { parameter: 'measures', suggestion },
    });
  });

  test('are at most ten', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'count').join(',');
    expect(measures(many(10))).toEqual(['count']);
    expect(aggregate({ measures: many(11) })).toEqual({
      code: 'invalid_measures',
      detail: 'There are more than 10 measures, which is the limit.',
      context: { parameter: 'measures' },
    });
  });
});

describe('facets', () => {
  test.each([
    ['categ_id,name,active', undefined],
    ['list_price:20,id:1,qty_available:1000', undefined],
    ['create_date:day,create_date:week,write_date:month,write_date:year', undefined],
    ['create_date:day@Europe/Berlin,create_date:day@Etc/GMT+5,create_date:day@UTC', undefined],
    [' categ_id , list_price : 020 ', 'categ_id,list_price:20'],
    ['categ_id,categ_id', 'categ_id'],
    ['list_price:20,list_price:5', undefined],
  ])('%s', (text, names = text) => {
    expect(facets(text)).toEqual(names.split(','));
  });

  test('periods are in UTC if there is no time zone', () => {
    const { facets } = planned(aggregate({ facets: 'create_date:day,create_date:day@UTC' }));
    expect(facets.map(({ by }) => by)).toStrictEqual([
      { kind: 'period', period: 'day' },
      { kind: 'period', period: 'day', zone: 'UTC' },
    ]);
  });

  test.each<[text: string, detail: string, suggestion: string, fixed: string | undefined]>([
    ['', 'facets has an empty name.', FIELDS, undefined],
    [':20', 'facets has an empty name.', FIELDS, undefined],
    ['colour', "product has no field 'colour'.", FIELDS, undefined],
    ['active,categ_idd', "product has no field 'categ_idd'.", 'Did you mean categ_id?', 'active,categ_id'],
    ['list_prise:20', "product has no field 'list_prise'.", 'Did you mean list_price?', 'list_price:20'],
    ['list_prise : 20 : 5,id', "product has no field 'list_prise'.", 'Did you mean list_price?', 'list_price:20:5,id'],
  ])('%j: %s', (text, detail, suggestion, fixed) => {
    expect(aggregate({ facets: text })).toEqual({
      code: 'unknown_field',
      detail,
      context: { parameter: 'facets', suggestion, ...(fixed !== undefined && { fixed: { facets: fixed } }) },
    });
  });

  const RANGES = 'Give a number of ranges from 1 to 1000: list_price:20.';
  const PERIODS = 'The periods are day, week, month, year: create_date:month.';
  const ZONES = 'Time zones have names such as Europe/Berlin: create_date:month@Europe/Berlin.';

  test.each<readonly [field: string, by: string, suggestion: string]>([
    ...['0', '1001', '-5', '2.5', '1e2', 'month', '5x', 'x5', '5:5', ''].map(
      (by) => ['list_price', by, RANGES] as const,
    ),
    ...['20', 'hour', 'months', '', 'month:day', 'hour@Europe/Berlin'].map(
      (by) => ['create_date', by, PERIODS] as const,
    ),
    ...['', 'Berlin', '+02:00', '1', 'Mars/Olympus', 'A'.repeat(51)].map(
      (zone) => ['create_date', `day@${zone}`, ZONES] as const,
    ),
    ['name', '20', 'name holds text, which are grouped by value: name.'],
    ['active', 'day', 'active holds true or false, which are grouped by value: active.'],
  ])('%s:%s', (field, by, suggestion) => {
    expect(aggregate({ facets: `${field}:${by}` })).toEqual({
      code: 'invalid_facets',
      detail: `${field} cannot be grouped by '${by}'.`,
      context: { parameter: 'facets', suggestion },
    });
  });

  test('are at most ten', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'active').join(',');
    expect(facets(many(10))).toEqual(['active']);
    expect(aggregate({ facets: many(11) })).toEqual({
      code: 'invalid_facets',
      detail: 'There are more than 10 facets, which is the limit.',
      context: { parameter: 'facets' },
    });
  });

  test('leave room in the filter for the two conditions of a group', () => {
    const filter = (count: number) => Array.from({ length: count }, (_, n) => `id!=${n}`).join('&');
    expect(aggregate({ filter: filter(198), facets: 'active' })).toMatchObject({ facets: [{}] });
    expect(aggregate({ filter: filter(199) })).toMatchObject({ facets: [] });
    expect(aggregate({ filter: filter(199), facets: 'active' })).toEqual({
      code: 'invalid_facets',
      detail: 'The filter leaves no room for the conditions of a group: The filter has more than 200 conditions.',
      context: {
        parameter: 'filter',
        suggestion: 'Shorten the filter, or request the measures of products without facets.',
      },
    });
  });

  test('leave room in the filter for the longest text twice', () => {
    const filter = (bytes: number) => `name*${'x'.repeat(bytes - 'name*'.length)}`;
    const room = 32_768 - 2 * '&id='.length - 2 * 4_000;
    expect(aggregate({ filter: filter(room), facets: 'name' })).toMatchObject({ facets: [{}] });
    expect(aggregate({ filter: filter(room + 1), facets: 'name' })).toMatchObject({
      detail: expect.stringMatching(/32769 bytes; the limit is 32768\.$/),
    });
  });
});

describe('the order of groups', () => {
  test.each([
    ['value', 'value'],
    ['count', { kind: 'count' }],
    ['sum(id)', { kind: 'sum' }],
    ['avg(id*id)', { kind: 'avg' }],
  ])('%s', (sort, order) => {
    expect(aggregate({ measures: 'sum(id),avg(id*id)', sort })).toMatchObject({ order });
  });

  test.each([
    ['count', 'name', ''],
    ['count', '-count', ''],
    ['count,sum(id),avg(id)', 'max(id)', ', such as sum(id),'],
  ])('of %s, not by %s', (measures, sort, such) => {
    expect(aggregate({ measures, sort })).toEqual({
      code: 'invalid_sort',
      detail: `Groups cannot be sorted by '${sort}'.`,
      context: {
        parameter: 'sort',
        suggestion: `Use sort=count or one of the measures that are requested${such} for the largest first, or sort=value for the order of values.`,
      },
    });
  });
});
