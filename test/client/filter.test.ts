/** Filters that the client writes mean what was put into them. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueTypes } from '../../src/catalog/value-types.ts';
import { filter, Stockbook } from '../../src/client/index.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { anyText } from '../support/any-text.ts';

const { products } = new Stockbook({ url: 'http://localhost' });

test.each([
  [products.where('name', '*', 'A & B'), 'name*"A & B"'],
  [products.where('name', '=', 'say "hi" \\ bye'), 'name="say \\"hi\\" \\\\ bye"'],
  [products.where('default_code', '=', 'null'), 'default_code="null"'],
  [products.where('default_code', '!=', null), 'default_code!=null'],
  [products.where('list_price', '<', 1e21), 'list_price<1e+21'],
  [products.where('active', '=', false), 'active=false'],
  [products.where('write_date', '>=', new Date(0)), 'write_date>=1970-01-01T00:00:00.000Z'],
  [products.where('categ_id', '![]', [1, null]), 'categ_id![1,null]'],
  [products.where('name', '[]', ['a', 'b,c']), 'name["a","b,c"]'],
  [products.where('id', '>', 1).and('id', '<', 9).and('active', '=', true), 'id>1&id<9&active=true'],
  [products.where('id', '=', 1).or('id', '=', 2).and('active', '=', true), '(id=1|id=2)&active=true'],
  [products.where('id', '=', 1).and('active', '=', true).or('id', '=', 2), 'id=1&active=true|id=2'],
  [products.where('active', '=', true).and(products.where('id', '=', 1).or('id', '=', 2)), 'active=true&(id=1|id=2)'],
  [products.where('id', '=', 1).or(products.where('id', '=', 2).or('id', '=', 3)), 'id=1|id=2|id=3'],
])('%s is written as %s', (built, text) => {
  expect(String(built)).toBe(text);
});

test('a template quotes values and joins lists', () => {
  expect(filter`name*${'A & B'} & id[${[1, 2]}] | default_code=${null}`).toBe(
    'name*"A & B" & id[1,2] | default_code=null',
  );
});

const text = fc.oneof(anyText(), fc.constantFrom(...valueTypes.text.examples).map(String));

test('whatever the text, a condition compares with it and nothing else', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const expected = { kind: 'and', operands: [{ value: { text: first } }, { items: [{ text: second }, {}] }] };
      const built = products.where('name', '=', first).and('name', '[]', [second, 'x']);
      expect(parseFilter(String(built))).toMatchObject(expected);
      expect(parseFilter(filter`name=${first}&name[${[second, 'x']}]`)).toMatchObject(expected);
    }),
  );
});

describe('what is not a value throws, so that a mistake never selects more', () => {
  const missing: string[] = [];
  test.each<[string, () => unknown]>([
    ['NaN', () => products.where('list_price', '<', Number.NaN)],
    ['infinity', () => filter`list_price<${Number.POSITIVE_INFINITY}`],
    ['an invalid date', () => products.where('write_date', '>', new Date('yesterday'))],
    ['undefined', () => filter`name=${Object(missing)[0]}`],
    ['an object', () => filter`name=${Object({ a: 1 })}`],
  ])('%s throws', (_, build) => {
    expect(build).toThrow(Error);
  });
});
