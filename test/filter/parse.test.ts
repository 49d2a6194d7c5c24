import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition, Filter } from '../../src/filter/ast.ts';
import { columnOf, FilterError } from '../../src/filter/filter-error.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from '../../src/filter/limits.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { anyText } from '../support/any-text.ts';
import { parsedFilter } from '../support/parsed-filter.ts';
import { rounds } from '../support/rounds.ts';

/** A condition in short form: its field, its operator, and its value or its list of values. */
function brief({ field, operator, ...rest }: Condition): readonly unknown[] {
  return [field.text, operator, 'items' in rest ? rest.items.map(({ text }) => text) : rest.value.text];
}

/** The AST as text, with parentheses around every group. */
function grouped(filter: Filter): string {
  return 'operands' in filter ? `(${filter.operands.map(grouped).join(` ${filter.kind} `)})` : brief(filter).join(' ');
}

describe('parses', () => {
  test.each<[string, unknown]>([
    ['a=1', ['a', '=', '1']],
    ['a!=1', ['a', '!=', '1']],
    ['a*x', ['a', '*', 'x']],
    ['a!*x', ['a', '!*', 'x']],
    ['a>1', ['a', '>', '1']],
    ['a>=1', ['a', '>=', '1']],
    ['a<1', ['a', '<', '1']],
    ['a<=1', ['a', '<=', '1']],
    ['a[1]', ['a', '[', ['1']]],
    ['a![1,2]', ['a', '![', ['1', '2']]],
    ['  a  =  1  ', ['a', '=', '1']],
    [' a [ 1 , 2 ] ', ['a', '[', ['1', '2']]],
    ['a=b=c', ['a', '=', 'b=c']],
    ['a==1', ['a', '=', '=1']],
    ['a=>1', ['a', '=', '>1']],
    ['a>=<1', ['a', '>=', '<1']],
    ['a**', ['a', '*', '*']],
    ['a!=!*', ['a', '!=', '!*']],
    ['a=[1]', ['a', '=', '[1]']],
    ['a=', ['a', '=', '']],
    ['a=""', ['a', '=', '']],
    ['a=null', ['a', '=', null]],
    ['a= null ', ['a', '=', null]],
    ['a="null"', ['a', '=', 'null']],
    ['a=Null', ['a', '=', 'Null']],
    ['a[null,"null",x]', ['a', '[', [null, 'null', 'x']]],
    ['a[,]', ['a', '[', ['', '']]],
    ['a[""]', ['a', '[', ['']]],
    ['a=5" pipe', ['a', '=', '5" pipe']],
    ['a="x\\"y\\\\z"', ['a', '=', 'x"y\\z']],
    ['a=" x "', ['a', '=', ' x ']],
    ['a="&|()[],"', ['a', '=', '&|()[],']],
    ['a["x,y","z]"]', ['a', '[', ['x,y', 'z]']]],
    ['a=x,y]', ['a', '=', 'x,y]']],
    ['a=x)', ['a', '=', 'x)']],
    ['a=(x', ['a', '=', '(x']],
    ['a.b-c=1', ['a.b-c', '=', '1']],
    ['größe=1', ['größe', '=', '1']],
    ['価格\uffff=≥1', ['価格\uffff', '=', '≥1']],
    [' ( ( a=1 ) ) ', ['a', '=', '1']],
    ['(a=x(y)', ['a', '=', 'x(y']],
  ])('%s', (text, expected) => {
    const filter = parsedFilter(text);
    expect('operands' in filter || brief(filter)).toEqual(expected);
  });

  test.each([
    ['a=1&b=2', '(a = 1 and b = 2)'],
    ['a=1|b=2', '(a = 1 or b = 2)'],
    ['a=1&b=2&c=3', '(a = 1 and b = 2 and c = 3)'],
    ['a=1|b=2&c=3', '(a = 1 or (b = 2 and c = 3))'],
    ['a=1&b=2|c=3', '((a = 1 and b = 2) or c = 3)'],
    ['(a=1|b=2)&c=3', '((a = 1 or b = 2) and c = 3)'],
    ['(a[1]|b="x)")', '(a [ 1 or b = x))'],
  ])('%s as %s', (text, expected) => {
    expect(grouped(parsedFilter(text))).toBe(expected);
  });

  test('the positions of names and values', () => {
    expect(parseFilter(' ab >= "x" & c[ 1 ,22]')).toEqual({
      kind: 'and',
      operands: [
        {
          kind: 'comparison',
          field: { text: 'ab', at: 1 },
          operator: '>=',
          operatorAt: 4,
          value: { text: 'x', at: 7, end: 10 },
        },
        {
          kind: 'membership',
          field: { text: 'c', at: 13 },
          operator: '[',
          operatorAt: 14,
          items: [
            { text: '1', at: 16, end: 17 },
            { text: '22', at: 19, end: 21 },
          ],
        },
      ],
    });
    expect(parsedFilter('a=  ')).toMatchObject({ value: { text: '', at: 4, end: 4 } });
  });
});

describe('rejects', () => {
  test.each([
    ['', 0, 'Expected a condition, but the filter ends here.'],
    [' ', 1, 'Expected a condition, but the filter ends here.'],
    ['a', 1, 'Expected an operator after the field name, but the filter ends here.'],
    ['a b=1', 2, 'Expected an operator after the field name, found b.'],
    ['a!1', 1, 'Expected an operator after the field name, found !.'],
    ['a=1|b', 5, 'Expected an operator after the field name, but the filter ends here.'],
    ['a like', 2, 'Expected an operator after the field name, found l.'],
    ['=1', 0, 'Expected a condition, found =.'],
    ['"a"=1', 0, 'Expected a condition, found ".'],
    ['&a=1', 0, 'Expected a condition, found &.'],
    ['a=1&', 4, 'Expected a condition, but the filter ends here.'],
    ['a=1&&b=2', 4, 'Expected a condition, found &.'],
    ['a=1||b=2', 4, 'Expected a condition, found |.'],
    ['a=1|&b=2', 4, 'Expected a condition, found &.'],
    ['()', 1, 'Expected a condition, found ).'],
    ['(a=1', 0, 'This group is not closed.'],
    ['(a=1)b=2', 5, 'Expected & or |, found b.'],
    ['(a=1))', 5, 'Expected & or |, found ).'],
    ['((a=1)b)', 6, 'Expected &, | or ), found b.'],
    ['a="x', 2, 'This quote is not closed.'],
    ['a="x\\', 4, 'Inside quotes, a backslash must be followed by " or \\.'],
    ['a="\\n"', 3, 'Inside quotes, a backslash must be followed by " or \\.'],
    ['a="x"y', 5, 'Expected & | after the closing quote, found y.'],
    ['(a="x"y)', 6, 'Expected & | ) after the closing quote, found y.'],
    ['a["x"y]', 5, 'Expected , ] & | after the closing quote, found y.'],
    ['a[]', 1, 'The list is empty; it needs at least one value.'],
    ['a![  ]', 2, 'The list is empty; it needs at least one value.'],
    ['a[1', 1, 'This list is not closed.'],
    ['a[1&b=2', 1, 'This list is not closed.'],
    ['(a[1)', 2, 'This list is not closed.'],
    ['(a[x)y])', 2, 'This list is not closed.'],
    ['a[1,"x]', 4, 'This quote is not closed.'],
    ['a[1]b', 4, 'Expected & or |, found b.'],
  ])('%j at %i: %s', (text, at, detail) => {
    expect(parseFilter(text)).toMatchObject({ code: 'filter_syntax', at, detail });
  });

  test.each([
    ['a=1&&b=2', 'Write one & between two conditions.', 'a=1&b=2'],
    ['a=1||b=2', 'Write one | between two conditions.', 'a=1|b=2'],
    ['(a=1', 'Close it with ).', '(a=1)'],
    ['(a=1) and b=2', 'Write & instead of and.', '(a=1) & b=2'],
    ['(a=1)AND b=2', 'Write & instead of AND.', '(a=1)& b=2'],
    ['(a=1) OR (b=2)', 'Write | instead of OR.', '(a=1) | (b=2)'],
    ['((a=1) or b=2)', 'Write | instead of or.', '((a=1) | b=2)'],
    ['a[1] and b=2', 'Write & instead of and.', 'a[1] & b=2'],
    ['a="x" or b=2', 'Write | instead of or.', 'a="x" | b=2'],
  ])('%s: %s %s', (text, suggestion, fixed) => {
    expect(parseFilter(text)).toMatchObject({ suggestion, fixed });
    expect(parseFilter(fixed)).not.toBeInstanceOf(FilterError);
  });

  const CONDITION = 'A condition is a field, an operator and a value: list_price>10.';
  const BOTH_SIDES = /^Each side of & and \| must be a complete condition\..* id\[1,2,3\]\. .* name="A & B"\.$/;
  const OPERATORS = /^The operators are = != \* !\* .*> >= < <= \[\] !\[\]$/;
  const IN_QUOTES = 'Inside quotes, write \\" for a quote and \\\\ for a backslash.';

  test.each<[text: string, suggestion: string | RegExp]>([
    ['', CONDITION],
    ['=1', CONDITION],
    ['&a=1', CONDITION],
    ['a=1|&b=2', CONDITION],
    ['a=1&|b=2', CONDITION],
    ['((', CONDITION],
    ['a', OPERATORS],
    ['a b', OPERATORS],
    ['a)', OPERATORS],
    ['a&b=1', OPERATORS],
    ['b=1&a x', OPERATORS],
    ['b=1&a !)', OPERATORS],
    ['a=1|2', BOTH_SIDES],
    ['a=1|2|3', BOTH_SIDES],
    ['a=1&2&b=3', BOTH_SIDES],
    ['(a=1|2)', BOTH_SIDES],
    ['a[]', 'To match the empty text, write [""].'],
    ['a[1', 'Close it with ]. Quote a value that contains & | ) , or ]: ["a & b","c"].'],
    ['a="x"y', IN_QUOTES],
    ['a="x" android', IN_QUOTES],
    ['a="x', `Close it with ". ${IN_QUOTES}`],
    ['a="\\n"', 'For a literal backslash, write \\\\.'],
  ])('%j and suggests %s', (text, suggestion) => {
    const matching = typeof suggestion === 'string' ? suggestion : expect.stringMatching(suggestion);
    expect(parseFilter(text)).toMatchObject({ suggestion: matching, fixed: undefined });
  });

  test('with a column counted in code points', () => {
    expect([columnOf('a=1', 0), columnOf('😀é=1', 2), columnOf('😀é=1', 3)]).toEqual([1, 2, 3]);
  });
});

describe('limits', () => {
  const isValid = (text: string) => !(parseFilter(text) instanceof FilterError);
  const codeOf = (text: string) => Object(parseFilter(text)).code;

  test('32 KiB of text in UTF-8', () => {
    expect(isValid(`a=${'x'.repeat(MAX_FILTER_BYTES - 2)}`)).toBe(true);
    expect(parseFilter(`a=${'x'.repeat(MAX_FILTER_BYTES - 1)}`)).toMatchObject({
      code: 'filter_too_long',
      at: 0,
      detail: 'The filter has 32769 bytes; the limit is 32768.',
      suggestion: 'Split the request, or put many values of one field into a list: id[1,2,3].',
    });
    for (const [letter, bytes] of [
      ['\x7f', 1],
      ['\x80', 2],
      ['é', 2],
      ['\u07ff', 2],
      ['\u0800', 3],
      ['中', 3],
      ['😀', 4],
    ] as const) {
      const most = Math.floor((MAX_FILTER_BYTES - 2) / bytes);
      expect(isValid(`a=${letter.repeat(most)}`)).toBe(true);
      expect(codeOf(`a=${letter.repeat(most + 1)}`)).toBe('filter_too_long');
    }
  });

  test('200 conditions', () => {
    const conditions = (count: number) => Array.from({ length: count }, (_, n) => `a=${n}`).join('&');
    expect(isValid(conditions(MAX_CONDITIONS))).toBe(true);
    expect(parseFilter(conditions(MAX_CONDITIONS + 1))).toMatchObject({
      code: 'filter_too_many_conditions',
      at: conditions(MAX_CONDITIONS).length + 1,
      detail: 'The filter has more than 200 conditions.',
      suggestion: 'Put many values of one field into a list: id[1,2,3].',
    });
  });

  test('groups nested 20 deep', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}a=1${')'.repeat(depth)}`;
    expect(isValid(nested(MAX_DEPTH))).toBe(true);
    expect(parseFilter(nested(MAX_DEPTH + 1))).toMatchObject({
      code: 'filter_too_deep',
      at: MAX_DEPTH,
      detail: 'Groups are nested more than 20 levels deep.',
      suggestion: 'Omit unnecessary parentheses: & binds tighter than |.',
    });
    expect(isValid(Array.from({ length: 50 }, () => nested(MAX_DEPTH)).join('|'))).toBe(true);
  });

  test('1,000 list items', () => {
    const list = (count: number) => `a[${Array.from({ length: count }, (_, n) => n).join(',')}]`;
    expect(isValid(list(MAX_LIST_ITEMS))).toBe(true);
    expect(parseFilter(list(MAX_LIST_ITEMS + 1))).toMatchObject({
      code: 'filter_list_too_long',
      at: list(MAX_LIST_ITEMS).length,
      detail: 'The list has more than 1000 values.',
      suggestion: 'Split the request, or use a range: id>=1&id<=5000.',
    });
  });
});

describe('any text', () => {
  const syntax = fc
    .array(fc.constantFrom(...'ab=!*<>[]&|()",\\ ', 'null', '😀', '\ud800', 'x'), { maxLength: 60 })
    .map((parts) => parts.join(''));

  test('is a filter, or an error with a position in the text; nothing is thrown', () => {
    fc.assert(
      fc.property(fc.oneof(syntax, anyText(), fc.string()), (text) => {
        const result = parseFilter(text);
        if (result instanceof FilterError) expect(result.at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: rounds(1_500, 5_000) },
    );
  });

  const PARSED = rounds(250, 1_000);
  test.each(['(', ')', '"', '\\', 'a[', 'a=', '&', ' ', '=', 'a="\\"', '0'])(
    'that repeats %j is parsed in linear time',
    // Not measured: quadratic time takes a second each time.
    { timeout: 120 * PARSED },
    (piece) => {
      for (let round = 0; round < PARSED; round += 1) parseFilter(piece.repeat(MAX_FILTER_BYTES / piece.length));
    },
  );
});
