/** What the text field of the console offers while a filter is typed, and what it marks. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Completion, completionsAt, isFinished, siteAt } from '../../console/src/query/complete-filter.ts';
import { problemOf } from '../../console/src/query/filter-problem.ts';
import { filterSpans } from '../../console/src/query/filter-spans.ts';
import { isUnfinished } from '../../console/src/query/is-unfinished.ts';
import { checkFilter } from '../../console/src/view/check-filter.ts';
import { product } from '../../src/catalog/product.ts';
import { StockbookError } from '../../src/client/stockbook-error.ts';
import { operatorsFor } from '../../src/filter/operators.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';

const KNOWN = [
  { text: 'Oak', meaning: '3 products' },
  { text: 'A & B', meaning: '1 product' },
];

/** `¦` is the caret. */
function completionsIn(marked: string): readonly Completion[] {
  const caret = marked.indexOf('¦');
  const site = siteAt(marked.replace('¦', ''), caret);
  return site === undefined ? [] : completionsAt(product, site, KNOWN);
}

function accepted(marked: string, completion: Completion): string {
  const caret = marked.indexOf('¦');
  return marked.slice(0, completion.from) + completion.insert + marked.slice(caret + 1);
}

describe('completions', () => {
  test.each([
    ['¦', ['id', 'name', 'default_code']],
    ['list¦', ['list_price']],
    ['price¦', ['list_price']],
    ['active=true & ca¦', ['categ_id']],
    ['active=true&¦', ['id', 'name']],
    ['active=true | (¦', ['id', 'name']],
    ['¦&active=true', ['id', 'name']],
    ['list_price¦', ['=', '!=', '>', '>=', '<', '<=', '[]', '![]']],
    ['list_price ¦', ['=', '!=', '>']],
    ['list_price!¦', ['!=', '![]']],
    ['name¦', operatorsFor('text').map(({ symbol }) => symbol)],
    ['active=¦', ['true', 'false']],
    ['active=t¦', ['true']],
    ['is_rsd_product=¦', ['true', 'false', 'null']],
    ['is_rsd_product[true,¦', ['true', 'false', 'null']],
    ['is_rsd_product[true,¦]', ['true', 'false', 'null']],
    ['(active=true|active=f¦', ['false']],
    ['name=¦', ['Oak', '"A & B"']],
    ['name="A¦', ['Oak', '"A & B"']],
    ['default_code*o¦', ['Oak']],
    ['default_code=n¦', ['null']],
    ['active=true ¦', ['&', '|']],
    ['id[1,2]¦', ['&', '|']],
    ['(active=true)¦', ['&', '|']],
    ['name="Oak"¦', ['&', '|']],
  ])('of %s', (marked, expected) => {
    const texts = completionsIn(marked).map(({ text }) => text);
    expect(texts.slice(0, expected.length)).toEqual(expected);
  });

  test.each(['nothing¦', 'na¦me=1', 'nothing=¦', 'active=true¦', ')¦', 'active=true)¦'])('none of %s', (marked) => {
    expect(completionsIn(marked)).toEqual([]);
  });

  test.each([
    ['active=true & ca¦', 'active=true & categ_id'],
    ['name="A¦', 'name=Oak'],
    ['list_price¦', 'list_price='],
    ['id[1,2]¦ active=true', undefined],
  ])('%s is completed to %s', (marked, expected) => {
    const [first] = completionsIn(marked);
    expect(first && accepted(marked, first)).toBe(expected);
  });

  test('of any part of a valid filter are computed without an error', () => {
    fc.assert(
      fc.property(filterOf(product, []), fc.nat(), (filter, place) => {
        const text = printFilter(filter);
        const caret = place % (text.length + 1);
        const site = siteAt(text, caret);
        if (site === undefined) return;
        for (const completion of completionsAt(product, site, KNOWN))
          expect(completion.from).toBeLessThanOrEqual(caret);
      }),
    );
  });
});

/** Then the Tab key leaves the text. */
describe('whether a value is complete', () => {
  test.each([
    ['categ_id=1¦', true],
    ['prize>5 & categ_id=1¦', true],
    ['categ_id[1,2¦', true],
    ['categ_id=1¦ & active=tr', true],
    ['name=Oak¦', true],
    ['active=tr¦', false],
    ['categ_id=nu¦', false],
    ['name="Oak¦', false],
    ['categ_id¦', false],
    ['categ_id!¦', false],
    ['¦', false],
  ])('in %s: %j', (marked, expected) => {
    const site = siteAt(marked.replace('¦', ''), marked.indexOf('¦'));
    expect(site !== undefined && isFinished(product, site)).toBe(expected);
  });
});

describe('whether somebody is still typing', () => {
  test.each([
    ['active=tr', true],
    ['active=true & ', true],
    ['active', true],
    ['name="Oak', true],
    ['id[1,', true],
    ['(categ_id=1|', true],
    ['list_prize>10', false],
    ['active=maybe & id=1', false],
    ['active=true', false],
    ['', false],
    ['active=true) & id=1', false],
  ])('at the end of %s: %j', (text, expected) => {
    expect(isUnfinished(text, checkFilter(product, text))).toBe(expected);
  });
});

describe('what is wrong with a filter', () => {
  const valid = checkFilter(product, 'name=😀 & id=1');

  test('may be known to the service alone', () => {
    const details = {
      status: 400,
      detail: 'Too costly.',
      suggestion: 'Ask for less.',
      parameter: 'filter',
      position: 10,
    };
    const error = new StockbookError('filter_too_costly', details);
    expect(problemOf('name=😀 & id=1', valid, error)).toEqual({
      ...{ detail: 'Too costly.', suggestion: 'Ask for less.', at: 10, fixed: undefined },
    });
  });

  test('is not what is wrong with something else', () => {
    const error = new StockbookError('connection_failed', { detail: 'There was no response.' });
    expect(problemOf('id=1', valid, error)).toBeUndefined();
    expect(problemOf('id=1', valid, new Error('else'))).toBeUndefined();
  });
});

describe('spans', () => {
  const kinds = (text: string, wrongAt?: number) =>
    filterSpans(text, wrongAt).map((span) => `${span.isWrong ? '!' : ''}${span.kind}:${span.text}`);

  test('tell the parts of a filter apart', () => {
    expect(kinds('name*"a b"&id[1,2]')).toEqual([
      ...['field:name', 'operator:*', 'value:"a b"', 'sign:&', 'field:id', 'operator:[', 'value:1', 'sign:,'],
      ...['value:2', 'sign:]'],
    ]);
  });

  test('mark the word that is wrong, counted in code points', () => {
    const text = 'name=😀😀 & prize>1';
    const at = problemOf(text, checkFilter(product, text), undefined)?.at;
    expect(kinds(text, at)).toContain('!field:prize');
    expect(kinds('active=', 7)).toEqual(['field:active', 'operator:=']);
    expect(kinds('((', 2)).toEqual(['unknown:((']);
  });

  test('are the whole text', () => {
    fc.assert(
      fc.property(fc.oneof(filterOf(product, []).map(printFilter), fc.string()), fc.nat(), (text, at) => {
        const spans = filterSpans(text, at % (text.length + 1));
        expect(spans.map((span) => span.text).join('')).toBe(text);
      }),
    );
  });
});
