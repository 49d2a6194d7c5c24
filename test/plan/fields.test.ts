/** `fields`: which, and in which order. */

import { expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { product } from '../../src/catalog/product.ts';
import { fieldNames } from '../../src/catalog/resource.ts';
import { planFields } from '../../src/plan/fields.ts';
import { planned } from '../support/fixture.ts';

test.each([
  ['name,id', ['name', 'id']],
  [' list_price , id ', ['list_price', 'id']],
  ['id,name,id', ['id', 'name']],
])('%s', (text, names) => {
  expect(planned(planFields(product, text)).map(({ name }) => name)).toEqual(names);
});

test.each([
  ['id,nam', "product has no field 'nam'.", 'Did you mean name?', 'id,name'],
  ['nam , list_pric', "product has no field 'nam'.", 'Did you mean name?', 'name,list_pric'],
  ['Name', "product has no field 'Name'.", 'Did you mean name?', 'name'],
  ['price', "product has no field 'price'.", 'Did you mean list_price?', 'list_price'],
])('%s: %s', (text, detail, suggestion, fields) => {
  expect(planFields(product, text)).toEqual({
    code: 'unknown_field',
    detail,
    context: { parameter: 'fields', suggestion, fixed: { fields } },
  });
});

test.each([
  ['id,colour', "company has no field 'colour'."],
  ['id,,name', 'fields has an empty name.'],
  [' ', 'fields has an empty name.'],
])('%j: %s', (text, detail) => {
  const suggestion = `The fields are ${fieldNames(company).join(', ')}.`;
  expect(planFields(company, text)).toEqual({
    code: 'unknown_field',
    detail,
    context: { parameter: 'fields', suggestion },
  });
});

test('an empty name is not like any other', () => {
  const [first] = product.fields;
  if (first === undefined) throw new Error('a resource has fields');
  const resource = { ...product, fields: [...product.fields, { ...first, name: 'x' }] };
  expect(Object(planFields(resource, 'id,')).context).not.toHaveProperty('fixed');
});
