/** Which fields operators can add, and how they can change them. */

import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { catalogWith, changeFlaw, fieldOf, flawOf, isOwnField, type OwnField } from '../../src/catalog/own-field.ts';
import { product } from '../../src/catalog/product.ts';

const STAGE: OwnField = { name: 'x_stage', label: 'Stage', type: 'text', meaning: 'where it is', initial: null };
const flaw = (changes: Partial<OwnField>, resource = product) => flawOf({ ...STAGE, ...changes }, resource, ['limit']);
const texts = (count: number) => Array.from({ length: count }, (_, n) => `choice ${n}`);

test.each<Partial<OwnField>>([
  {},
  { name: 'a' },
  { name: `x${'_'.repeat(34)}` },
  { label: '😀'.repeat(60), meaning: '😀'.repeat(200) },
  { choices: texts(200) },
  { choices: ['x'.repeat(60)] },
  { type: 'number', initial: 1.5 },
  { type: 'integer', unique: true },
  { unique: true, searched: true },
  { choices: ['a', 'b'], initial: 'b' },
])('%j can be added', (changes) => {
  expect(flaw(changes)).toBeUndefined();
});

describe('cannot be added', () => {
  const NAME = /^".*" cannot be the name of a field: a name consists of lowercase letters, digits and _, begins with a/;

  test.each(['', 'X', '1a', '_a', 'a-b', 'é', 'a b', `x${'_'.repeat(35)}`])('with the name %j', (name) => {
    expect(flaw({ name })).toMatch(NAME);
  });

  test.each([
    ['limit', 'is a parameter of requests'],
    ['null', 'is a value in filters'],
    ['sum', 'is a measure of aggregates'],
    ['relevance', 'is an order of lists'],
    ['removed', 'marks removed records in imports and changes'],
    ['resource', 'is an argument of tools'],
    ['idempotency_key', 'is an argument of tools that create records'],
    ['constructor', 'is what all objects have in JavaScript'],
  ])('as %s, which %s', (name, reason) => {
    expect(flaw({ name })).toBe(`"${name}" is reserved: it ${reason}. x_${name} is not.`);
  });

  test.each<[changes: Partial<OwnField>, sentence: string]>([
    [{ name: 'a_fold' }, '"a_fold" is reserved: the database uses names that end like this.'],
    [{ name: 'list_price' }, 'There is a field list_price already.'],
    [
      { label: 'sales PRICE' },
      '"sales PRICE" is too similar to the field list_price, whose label is "Sales price". Choose another label.',
    ],
    [
      { name: 'listprice' },
      '"listprice" is too similar to the field list_price, whose label is "Sales price". Choose another name.',
    ],
    [{ label: 'Removed' }, '"Removed" cannot be a label: a column of this name marks removed records in imports.'],
    [{ label: ' ' }, 'The label is empty.'],
    [{ label: 'a\nb' }, 'The label contains control characters.'],
    [{ label: '\ud800' }, 'The label contains control characters.'],
    [{ label: '😀'.repeat(61) }, 'The label has more than 60 characters.'],
    [{ meaning: '' }, 'The description is empty.'],
    [{ meaning: 'x'.repeat(201) }, 'The description has more than 200 characters.'],
    [{ type: 'integer', choices: ['1'] }, 'Only text has choices.'],
    [{ choices: [] }, 'There are no choices.'],
    [{ choices: texts(201) }, 'There are more than 200 choices.'],
    [{ choices: ['a', 'b', 'a'] }, 'A choice is repeated.'],
    ...['', ' ', ' a', 'a ', 'a,b', 'a\tb'].map((choice): [object, string] => [
      { choices: ['a', choice] },
      `"${choice}" cannot be a choice: it is empty, or has a comma, or spaces around it.`,
    ]),
    [{ choices: ['x'.repeat(61)] }, `A choice has more than 60 characters: ${'x'.repeat(61)}`],
    [{ type: 'number', searched: true }, 'Only text is searched.'],
    [{ choices: ['a'], unique: true }, 'A choice cannot be unique: many records have the same.'],
    [{ type: 'number', unique: true }, 'Only text and integers can be unique.'],
    [{ initial: 'a', unique: true }, 'A field with a default cannot be unique: many records would have it.'],
    [{ type: 'integer', initial: 'a' }, 'The default must be a whole number.'],
    [{ choices: ['a'], initial: 'b' }, 'The default must be one of a.'],
  ])('%j: %s', (changes, sentence) => {
    expect(flaw(changes)).toBe(sentence);
  });

  test('if there are 200', () => {
    const own = (count: number) =>
      Array.from({ length: count }, (_, n) => fieldOf({ ...STAGE, name: `x_own_${n}`, label: `Own ${n}` }));
    const resource = (count: number) => ({ ...product, fields: [...product.fields, ...own(count)] });
    expect(flaw({}, resource(199))).toBeUndefined();
    expect(flaw({}, resource(200))).toBe('There are 200 fields of your own already, and products can have no more.');
  });
});

describe('a change', () => {
  const choices = ['a', 'b'];

  test.each<[before: Partial<OwnField>, after: Partial<OwnField>, sentence: string | undefined]>([
    [{}, { label: 'Level', meaning: 'how far', indexed: true, searched: true }, undefined],
    [{ choices }, { choices: ['b', 'c', 'a'] }, undefined],
    [{ choices }, {}, 'The choice a is missing: records may have it, so choices can only be added.'],
    [
      { choices },
      { choices: ['a', 'c'] },
      'The choice b is missing: records may have it, so choices can only be added.',
    ],
    [{}, { choices }, 'The field holds any text, and records may have others than these.'],
    [{ choices }, { choices: [...choices, ''] }, expect.stringContaining('cannot be a choice')],
    [{}, { label: 'Name' }, expect.stringContaining('too similar')],
    [{}, { label: '' }, 'The label is empty.'],
    [{}, { meaning: '' }, 'The description is empty.'],
    [{ type: 'number' }, { type: 'number', searched: true }, 'Only text is searched.'],
    [{ choices }, { choices, unique: true }, expect.stringContaining('cannot be unique')],
  ])('from %j to %j: %s', (before, after, sentence) => {
    const { resources } = catalogWith(builtInCatalog, 1, new Map([['product', [{ ...STAGE, ...before }]]]));
    const [resource = product] = resources;
    expect(changeFlaw({ ...STAGE, ...before }, { ...STAGE, ...after }, resource)).toEqual(sentence);
  });
});

test('what is no definition of a field', () => {
  expect(isOwnField({ ...STAGE, choices: ['a'], indexed: true, initial: 'a' })).toBe(true);
  for (const changes of [
    ...[{ name: 'X' }, { name: 7 }, { label: null }, { meaning: undefined }, { type: 'decimal' }, { type: 'toString' }],
    ...[{ initial: undefined }, { initial: {} }, { choices: 'a' }, { choices: [1] }, { indexed: false }, { unique: 1 }],
  ])
    expect(isOwnField({ ...STAGE, ...changes })).toBe(false);
  for (const other of [null, 'x_stage', 7]) expect(isOwnField(other)).toBe(false);
});
