/** The body of a change to one record: a merge patch. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planPatch } from '../../src/plan/edit.ts';
import { planned } from '../support/fixture.ts';

test('the members that are given', () => {
  const values = planned(planPatch(partner, { name: 'A', city: null, active: false }));
  expect([...values].map(([{ name }, value]) => [name, value])).toEqual([
    ['name', 'A'],
    ['city', null],
    ['active', false],
  ]);
  expect(planned(planPatch(partner, {})).size).toBe(0);
});

test.each([null, [], 'a', 7])('%j is no object', (body) => {
  expect(planPatch(partner, body)).toEqual({
    code: 'invalid_body',
    detail: 'The body is not a JSON object.',
    context: { suggestion: 'Send the fields to change, such as {"name":"Azure Interior"}.' },
  });
});

describe('a field that cannot be changed, or does not exist', () => {
  const names = product.fields.map(({ name }) => name).filter((name) => !/^id$|_date$/.test(name));

  test.each([
    ['id', 'id cannot be changed.', 'Leave id out.'],
    ['create_date', 'create_date cannot be changed.', 'Leave create_date out.'],
    ['write_date', 'write_date cannot be changed.', 'Leave write_date out.'],
    ['nmae', "product has no field 'nmae'.", 'Did you mean name?'],
    ['idd', "product has no field 'idd'.", `The fields are ${names.join(', ')}.`],
    ['colour', "product has no field 'colour'.", `The fields are ${names.join(', ')}.`],
  ])('%s', (parameter, detail, suggestion) => {
    expect(planPatch(product, { [parameter]: 1 })).toEqual({
      code: 'invalid_body',
      detail,
      context: { parameter, suggestion },
    });
  });

  test('of a long name', () => {
    expect(planPatch(product, { ['x'.repeat(70)]: 1 })).toMatchObject({
      context: { parameter: `${'x'.repeat(60)}…` },
    });
  });
});

describe('a value of another type', () => {
  test.each<[field: string, json: unknown, requirement: string, suggestion: string | undefined]>([
    ['list_price', '91.5', 'must be a number', 'Send {"list_price":91.5}, without quotes.'],
    ['list_price', ' 91.5 ', 'must be a number', 'Send {"list_price":91.5}, without quotes.'],
    ['list_price', '1,5', 'must be a number', 'Send {"list_price":1.5}, without quotes.'],
    ['list_price', 'cheap', 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['list_price', '', 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['list_price', [5], 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['list_price', { amount: 5 }, 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['list_price', true, 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['list_price', '1e999', 'must be a number', 'Send a value such as {"list_price":99.99}.'],
    ['categ_id', 1.5, 'must be a whole number', 'Send a value such as {"categ_id":12}.'],
    ['categ_id', '7', 'must be a whole number', 'Send {"categ_id":7}, without quotes.'],
    ['active', 'yes', 'must be true or false', 'Send {"active":true}, without quotes.'],
    ['active', 'FALSE', 'must be true or false', 'Send {"active":false}, without quotes.'],
    ['active', 1, 'must be true or false', 'Send {"active":true}.'],
    ['active', 'perhaps', 'must be true or false', 'Send a value such as {"active":true}.'],
    ['name', 5, 'must be a string', 'Send {"name":"5"}.'],
    ['name', true, 'must be a string', 'Send {"name":"true"}.'],
    ['name', ['a'], 'must be a string', undefined],
    ['name', '', 'must not be blank', undefined],
    ['name', 'a\0', 'must not contain NUL characters', undefined],
    ['name', null, 'must not be null', 'Leave name out to keep its value.'],
    ['active', null, 'must not be null', 'Leave active out to keep its value.'],
  ])('%s: %j', (field, json, requirement, suggestion) => {
    expect(planPatch(product, { [field]: json })).toEqual({
      code: 'invalid_body',
      detail: `${field} ${requirement}.`,
      context: { parameter: field, ...(suggestion !== undefined && { suggestion }) },
    });
  });

  test('of a text that can be empty', () => {
    const problem = Object(planPatch(partner, { city: {} }));
    expect(problem.detail).toBe('city must be a string.');
    expect(problem.context).not.toHaveProperty('suggestion');
  });

  test('of a time', () => {
    const [field] = product.fields.filter(({ name }) => name === 'create_date');
    if (field === undefined) throw new Error('there is a time');
    const initial = { kind: 'value', value: null } as const;
    const resource = { ...product, fields: [{ ...field, name: 'sold', nullable: true, initial }] };
    const suggestionFor = (sold: unknown) => Object(planPatch(resource, { sold })).context?.suggestion;
    expect(['1.2.2026', 'soon', 5].map(suggestionFor)).toEqual([
      'Send {"sold":"2026-02-01T00:00:00.000Z"}.',
      undefined,
      'Send a value such as {"sold":"2026-01-31T09:30:00.000Z"}.',
    ]);
  });
});
