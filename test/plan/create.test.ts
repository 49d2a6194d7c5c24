/** The body of a create request. */

import { expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planCreate } from '../../src/plan/create.ts';
import { NOW, planned } from '../support/fixture.ts';

const EXAMPLE = 'Send an object such as {"name":"Azure Interior"}.';
const LATER = 'POST /api/v1/resources/partner/import creates whole records';

test('what it gives, and the initial values of all other fields', () => {
  const { resource, values } = planned(planCreate(partner, { name: ' Azure ' }, NOW));
  expect(resource).toBe(partner);
  expect(Object.fromEntries([...values].map(([{ name }, value]) => [name, value]))).toStrictEqual({
    name: ' Azure ',
    ...{ is_company: false, is_patient: false, active: true },
    ...{ is_customer: false, is_vendor: false, is_employee: false },
    ...{ create_date: NOW, write_date: NOW },
  });
});

test('a field that is null has no value', () => {
  const resource = { ...partner, creatable: ['name', 'city', 'active'] };
  const { values } = planned(planCreate(resource, { name: 'A', city: null, active: false }, NOW));
  const given = new Map([...values].map(([{ name }, value]) => [name, value]));
  expect([given.has('city'), given.get('active')]).toEqual([false, false]);
});

test.each([null, [], [{ name: 'a' }], 'a', 7, true])('%j is no object', (body) => {
  expect(planCreate(partner, body, NOW)).toEqual({
    code: 'invalid_body',
    detail: 'The body is not a JSON object.',
    context: { suggestion: EXAMPLE },
  });
});

test.each<[body: object, parameter: string, detail: string, suggestion: string | undefined]>([
  [{}, 'name', 'name is missing.', EXAMPLE],
  [{ name: null }, 'name', 'name must not be null.', undefined],
  [{ name: 7 }, 'name', 'name must be a string.', undefined],
  [{ name: '' }, 'name', 'name must not be blank.', undefined],
  [{ nmae: 'a' }, 'nmae', "partner has no field 'nmae'.", 'Did you mean name?'],
  [{ colour: 'a' }, 'colour', "partner has no field 'colour'.", 'Send only name.'],
  [
    { name: 'a', ['x'.repeat(70)]: 1 },
    `${'x'.repeat(60)}…`,
    `partner has no field '${'x'.repeat(60)}…'.`,
    'Send only name.',
  ],
  [
    { name: 'a', city: 'b' },
    'city',
    'city cannot be set when creating a partner.',
    `Send only name. PATCH /api/v1/resources/partner/{id} sets the rest afterwards, and ${LATER}. Both need the scope edit.`,
  ],
  [
    { id: 1, name: 'a' },
    'id',
    'id cannot be set when creating a partner.',
    `Send only name. ${LATER}, and needs the scope edit.`,
  ],
])('%j: %s', (body, parameter, detail, suggestion) => {
  expect(planCreate(partner, body, NOW)).toEqual({
    code: 'invalid_body',
    detail,
    context: { parameter, ...(suggestion !== undefined && { suggestion }) },
  });
});

test('fields that may be set are listed', () => {
  expect(planCreate({ ...product, creatable: ['name', 'active'] }, { colour: 1 }, NOW)).toMatchObject({
    context: { suggestion: 'Send only name, active.' },
  });
});
