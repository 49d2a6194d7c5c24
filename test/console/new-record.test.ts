/** What is typed into the form for a new record, by the fields that its resource declares as creatable. */

import { expect, test } from 'vitest';
import { checkForm, creatableFields } from '../../console/src/record/new-record.ts';
import { partner } from '../../src/catalog/partner.ts';
import { nullable, type Resource, required, withDefault } from '../../src/catalog/resource.ts';

const resource: Resource = {
  ...partner,
  fields: [
    ...partner.fields,
    required('code', 'Code', 'text', 'code'),
    withDefault('credit_limit', 'Credit limit', 'number', 0, 'amount'),
    nullable('employees', 'Employees', 'integer', 'number of employees'),
    nullable('is_vip', 'Is vip', 'boolean', 'true for the best'),
    nullable('founded_at', 'Founded at', 'timestamp', 'when it was founded'),
  ],
  creatable: ['name', 'code', 'credit_limit', 'employees', 'is_vip', 'founded_at'],
};

test('the form has the creatable fields, in their order', () => {
  expect(creatableFields(partner).map(({ name }) => name)).toEqual(['name']);
  expect(creatableFields(resource).map(({ name }) => name)).toEqual(resource.creatable);
});

test('what is left empty is not sent; the rest is read by its type', () => {
  expect(checkForm(resource, { name: ' Zed ', code: 'Z' })).toEqual({
    record: { name: ' Zed ', code: 'Z' },
    problems: {},
  });
  const typed = { credit_limit: '1,500.5', employees: '12', is_vip: 'true', founded_at: '2026-01-31T09:30:00Z' };
  expect(checkForm(resource, { name: 'Zed', code: 'Z', ...typed }).record).toEqual({
    ...{ name: 'Zed', code: 'Z', credit_limit: 1500.5, employees: 12, is_vip: true },
    founded_at: '2026-01-31T09:30:00.000Z',
  });
});

test('problems are named by field, with the rules of the service', () => {
  const form = { name: '  ', credit_limit: 'much', employees: '1.5', founded_at: 'long ago' };
  expect(checkForm(resource, form).problems).toEqual({
    name: 'Name must not be blank.',
    code: 'Code must not be blank.',
    credit_limit: 'Credit limit must be a number in decimal notation.',
    employees: 'Employees must be a whole number.',
    founded_at: expect.stringContaining('Founded at must be an ISO 8601 date or timestamp'),
  });
});
