import { expect, test } from 'vitest';
import { catalog, findField } from '../../src/catalog/catalog.ts';
import { fold } from '../../src/catalog/fold.ts';
import { parameters } from '../../src/request/parameters.ts';

test.each(catalog)('$name is declared as everything else relies on', (resource) => {
  const names = resource.fields.map(({ name }) => name);
  expect(names[0]).toBe('id');
  expect(new Set(names).size).toBe(names.length);
  for (const field of resource.fields) {
    expect(field.name).toMatch(/^[a-z][a-z0-9_]*$/);
    // Columns that a table has of its own, and the columns of folded text.
    expect(field.name).not.toMatch(/^(account_id|revision|line|given|state)$|_fold$/);
    // A parameter of that name would take a condition behind a raw & away from the filter.
    expect(Object.keys(parameters)).not.toContain(field.name);
    // A row's bits travel as an integer.
    expect(resource.fields.length).toBeLessThanOrEqual(31);
    if (field.initial.kind === 'value') expect(field.initial.value === null).toBe(field.nullable);
  }
  for (const name of resource.creatable) expect(findField(resource, name)).toBeDefined();
});

test('the fields of the contract are there, with their types', () => {
  const types = Object.fromEntries(
    catalog.map(({ path, fields }) => [
      path,
      Object.fromEntries(fields.map(({ name, type, nullable }) => [name, nullable ? `${type} or null` : type])),
    ]),
  );
  expect(types).toEqual({
    'inventory/product': {
      ...{
        id: 'integer',
        name: 'text',
        default_code: 'text or null',
        list_price: 'number',
        qty_available: 'number',
        active: 'boolean',
      },
      ...{ categ_id: 'integer or null', product_tmpl_id: 'integer or null', is_rsd_product: 'boolean or null' },
      ...{ create_date: 'timestamp', write_date: 'timestamp' },
    },
    'resources/partner': {
      ...{ id: 'integer', name: 'text', is_company: 'boolean', is_patient: 'boolean', active: 'boolean' },
      ...{
        is_customer: 'boolean',
        is_vendor: 'boolean',
        is_employee: 'boolean',
        ref: 'text or null',
        email: 'text or null',
      },
      ...{
        phone: 'text or null',
        vat: 'text or null',
        street: 'text or null',
        city: 'text or null',
        zip: 'text or null',
      },
      ...{ country_code: 'text or null', create_date: 'timestamp', write_date: 'timestamp' },
    },
    'resources/company': {
      ...{ id: 'integer', name: 'text', company_code: 'text or null', branch_user: 'text' },
      ...{ create_date: 'timestamp', write_date: 'timestamp' },
    },
  });
});

test.each([
  ['Crème BRÛLÉE', 'crème brûlée'],
  ['Cre\u0300me', 'crème'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδος', 'οδοσ'],
  ['Straße', 'straße'],
  ['%_\\*', '%_\\*'],
  ['\u{1F600}A', '\u{1F600}a'],
])('fold(%j) is %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});
