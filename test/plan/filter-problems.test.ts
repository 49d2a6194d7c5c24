/** What is wrong with a filter: where, why and how to fix it. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { fieldNames } from '../../src/catalog/resource.ts';
import { planFilter } from '../../src/plan/filter.ts';

interface Expected {
  readonly code: string;
  readonly at: number;
  readonly detail: string;
  readonly suggestion?: string;
  readonly fixed?: string;
}

test.each<[filter: string, expected: Expected]>([
  [
    'id=1&lst_price>5',
    {
      ...{ code: 'unknown_field', at: 6, detail: "product has no field 'lst_price'." },
      ...{ suggestion: 'Did you mean list_price?', fixed: 'id=1&list_price>5' },
    },
  ],
  [
    ' colour = red',
    {
      ...{ code: 'unknown_field', at: 2, detail: "product has no field 'colour'." },
      suggestion: `The fields are ${fieldNames(product).join(', ')}.`,
    },
  ],
  [
    'name="😀"&active>5',
    {
      ...{ code: 'operator_not_allowed', at: 16, detail: 'active holds true or false and does not support >.' },
      suggestion: 'active supports = != [] ![]',
    },
  ],
  [
    'id*5',
    {
      ...{ code: 'operator_not_allowed', at: 3, detail: 'id holds whole numbers and does not support *.' },
      suggestion: 'id supports = != > >= < <= [] ![]',
    },
  ],
  [
    'name>a',
    {
      ...{ code: 'operator_not_allowed', at: 5, detail: 'name holds text and does not support >.' },
      suggestion: 'name supports = != * !* [] ![]',
    },
  ],
  [
    'id=null',
    {
      ...{ code: 'null_not_allowed', at: 4, detail: 'id is never null.' },
      suggestion: 'Remove the condition, or give a value.',
    },
  ],
  [
    'categ_id>null',
    {
      ...{ code: 'null_not_allowed', at: 10, detail: 'This operator does not accept null.' },
      suggestion: 'To match records without a value, write categ_id=null.',
    },
  ],
  [
    'name[a, null ]',
    {
      ...{ code: 'null_not_allowed', at: 9, detail: 'name is never null.' },
      ...{ suggestion: 'To match the text itself, write "null" in quotes.', fixed: 'name[a, "null" ]' },
    },
  ],
  [
    'default_code*null',
    {
      ...{ code: 'null_not_allowed', at: 14, detail: 'This operator does not accept null.' },
      ...{ suggestion: 'To match the text itself, write "null" in quotes.', fixed: 'default_code*"null"' },
    },
  ],
  [
    'name*""',
    {
      ...{ code: 'invalid_value', at: 6, detail: 'The text to search for is empty.' },
      suggestion: 'Give at least one character. To match an empty name, write name="".',
    },
  ],
  [
    'id=1.5',
    {
      ...{ code: 'invalid_value', at: 4, detail: "id must be a whole number, not '1.5'." },
      suggestion: 'For example: id=12',
    },
  ],
  [
    'list_price>',
    {
      ...{ code: 'invalid_value', at: 12, detail: 'list_price must be a number in decimal notation, not empty.' },
      suggestion: 'For example: list_price>99.99',
    },
  ],
  [
    'list_price>1,5 ',
    {
      ...{ code: 'invalid_value', at: 12, detail: "list_price must be a number in decimal notation, not '1,5'." },
      ...{ suggestion: 'Did you mean 1.5?', fixed: 'list_price>1.5 ' },
    },
  ],
  [
    'id[1 2;3, 4]',
    {
      ...{ code: 'invalid_value', at: 4, detail: "id must be a whole number, not '1 2;3'." },
      ...{ suggestion: 'Did you mean 1,2,3?', fixed: 'id[1,2,3, 4]' },
    },
  ],
  [
    'id![1 x]',
    {
      ...{ code: 'invalid_value', at: 5, detail: "id must be a whole number, not '1 x'." },
      suggestion: 'For example: id![12]',
    },
  ],
  [
    'categ_id[1; ;2;null]',
    {
      ...{ code: 'invalid_value', at: 10, detail: "categ_id must be a whole number, not '1; ;2;null'." },
      ...{ suggestion: 'Did you mean 1,2,null?', fixed: 'categ_id[1,2,null]' },
    },
  ],
  [
    "id['1','2']",
    {
      ...{ code: 'invalid_value', at: 4, detail: `id must be a whole number, not ''1''.` },
      ...{ suggestion: 'Did you mean 1?', fixed: 'id[1,2]' },
    },
  ],
  [
    'id==5 ',
    {
      ...{ code: 'invalid_value', at: 4, detail: "id must be a whole number, not '=5'." },
      ...{ suggestion: 'Did you mean id=5?', fixed: 'id=5 ' },
    },
  ],
  [
    'id=1&(id=2',
    {
      ...{ code: 'filter_syntax', at: 6, detail: 'This group is not closed.' },
      ...{ suggestion: 'Close it with ).', fixed: 'id=1&(id=2)' },
    },
  ],
])('%s', (filter, { code, at, detail, suggestion, fixed }) => {
  expect(planFilter(product, filter, [])).toEqual({
    code,
    detail,
    context: {
      parameter: 'filter',
      position: at,
      ...(suggestion !== undefined && { suggestion }),
      ...(fixed !== undefined && { fixed: { filter: fixed } }),
    },
  });
});

describe('a filter that is percent-encoded twice', () => {
  test.each([
    ['id%3D1%26active%3Dtrue', 'id=1&active=true'],
    ['name%3d%22%C3%A9%22', 'name="é"'],
  ])('%s', (filter, fixed) => {
    expect(planFilter(product, filter, [])).toMatchObject({
      code: 'filter_syntax',
      context: {
        suggestion: 'The filter seems to be percent-encoded twice; encode it once.',
        fixed: { filter: fixed },
      },
    });
  });

  test('one that is too long only because of that', () => {
    const filter = `name%3D${'%61'.repeat(11_000)}`;
    expect(planFilter(product, filter, [])).toMatchObject({
      code: 'filter_too_long',
      context: { fixed: { filter: `name=${'a'.repeat(11_000)}` } },
    });
  });

  test.each(['id%3', 'id%zz', 'id%3D%ff', 'id%20', '%5Bid', 'id+=1'])('not %s', (filter) => {
    expect(planFilter(product, filter, [])).toMatchObject({
      code: 'filter_syntax',
      context: { suggestion: expect.not.stringContaining('percent-encoded') },
    });
  });

  test('nor one that has other errors', () => {
    expect(planFilter(product, `${'('.repeat(21)}%3D`, [])).toMatchObject({ code: 'filter_too_deep' });
    expect(planFilter(product, 'nane=%3D', [])).toMatchObject({ code: 'unknown_field' });
  });
});

describe('what follows a raw & in the query string', () => {
  const RAW =
    /follows a raw & in the query string and is not a parameter, so it was read as another condition of the filter\. Encode an & inside a value as %26, and quote the value\.$/;

  test('is explained, from there on', () => {
    const filter = 'nane=a&nane=b';
    const detailFor = (continuations: readonly number[]) => Object(planFilter(product, filter, continuations)).detail;
    expect(detailFor([])).toBe("product has no field 'nane'.");
    expect(detailFor([7])).toBe("product has no field 'nane'.");
    expect(detailFor([1])).toBe("product has no field 'nane'.");
    expect(detailFor([0])).toMatch(RAW);
    expect(planFilter(product, 'name=a&list_prise=5', [7, 20])).toMatchObject({
      detail: expect.stringMatching(RAW),
      context: { position: 8, suggestion: 'Did you mean list_price?' },
    });
  });

  test('may be a misspelled parameter', () => {
    const planned = (name: string, continuations: readonly number[]) =>
      Object(planFilter(product, `id=1&${name}=20`, continuations)).context;
    expect(planFilter(product, 'id=1&per_page=20', [5])).toMatchObject({ code: 'unknown_field' });
    expect(planned('per_page', [5])).toMatchObject({ suggestion: 'Did you mean the parameter limit?' });
    expect(planned('per_page', [5])).not.toHaveProperty('fixed');
    expect(planned('sorrt', [5])).toMatchObject({ suggestion: 'Did you mean the parameter sort?' });
    expect(planned('sorrt', []).suggestion).toMatch(/^The fields are/);
  });
});

test('a + that became a space is put back', () => {
  const suggestionFor = (value: string) => Object(planFilter(product, `write_date>${value}`, [])).context.suggestion;
  expect(suggestionFor('2026-01-31T09:30:00 02:00')).toBe(
    'Did you mean 2026-01-31T09:30:00+02:00? A + in a query string is a space; encode it as %2B.',
  );
  expect(suggestionFor('2026-1-31T09:30:00+02:00')).toBe('Did you mean 2026-01-31T09:30:00+02:00?');
  expect(suggestionFor('2026-1-31')).toBe('Did you mean 2026-01-31?');
});

test('a long suggestion is left out', () => {
  const filter = (length: number) => `id[${'1'.repeat(length - ' 2'.length)} 2]`;
  const suggestionFor = (length: number) => Object(planFilter(product, filter(length), [])).context.suggestion;
  const about = 'Did you mean ?'.length;
  expect(suggestionFor(500 - about)).toHaveLength(500);
  expect(suggestionFor(501 - about)).toBeUndefined();
});
