/** Null, blank text and booleans have the same names in chips, in the table and in charts. */

import { describe, expect, test } from 'vitest';
import { formatValue } from '../../console/src/format/values.ts';
import { wordsOf } from '../../console/src/query/condition-words.ts';
import { nameOfValue } from '../../console/src/summary/name-of-value.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import type { Condition } from '../../src/filter/ast.ts';
import { parseFilter } from '../../src/filter/parse.ts';

describe.each([
  { field: 'default_code', value: null, literal: 'null', word: 'not set' },
  { field: 'default_code', value: '', literal: '""', word: '""' },
  { field: 'default_code', value: ' ', literal: '" "', word: '" "' },
  { field: 'default_code', value: 'null', literal: '"null"', word: 'null' },
  { field: 'is_rsd_product', value: null, literal: 'null', word: 'not set' },
  { field: 'is_rsd_product', value: true, literal: 'TRUE', word: 'yes' },
  { field: 'is_rsd_product', value: false, literal: 'false', word: 'no' },
])('$field $literal', ({ field: name, value, literal, word }) => {
  const field = findField(product, name);
  if (field === undefined) throw new Error(`there is no ${name}`);

  test('on a chip', () => {
    expect(wordsOf(product, condition(`${name}[${literal}]`)).value).toBe(word);
  });

  test('in the table', () => {
    expect(formatValue(value, field.type)).toBe(word);
  });

  test('in a chart', () => {
    expect(nameOfValue(value, field)).toBe(word);
  });
});

test('a chip that asks for null uses the same word', () => {
  expect(wordsOf(product, condition('default_code=null'))).toMatchObject({ operator: 'is not set', value: undefined });
  expect(wordsOf(product, condition('default_code!=null'))).toMatchObject({ operator: 'is set', value: undefined });
});

function condition(text: string): Condition {
  const filter = parseFilter(text);
  if (!('field' in filter)) throw new Error(`${text} is not a condition`);
  return filter;
}
