import { expect, test } from 'vitest';
import { builtInCatalog, findField } from '../../src/catalog/catalog.ts';
import { parameters } from '../../src/request/parameters.ts';
import { STAGING_COLUMNS } from '../../src/store/sql/load-statements.ts';

/** Columns of the records' tables and of the table from which they are imported that are not fields. */
const RESERVED_COLUMNS = ['account_id', 'revision', ...STAGING_COLUMNS.map(({ name }) => name)];
const RESERVED_FORMS = /_fold$|^given_\d+$/;

test.each(builtInCatalog.resources)('$name keeps the rules that the rest of the program relies on', (resource) => {
  const names = resource.fields.map(({ name }) => name);
  expect(names[0]).toBe('id');
  expect(new Set(names).size).toBe(names.length);
  for (const field of resource.fields) {
    expect(field.name).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(RESERVED_COLUMNS).not.toContain(field.name);
    expect(field.name).not.toMatch(RESERVED_FORMS);
    // After a raw &, a condition on a field with a parameter's name would be read as that parameter.
    expect(Object.keys(parameters)).not.toContain(field.name);
  }
  const initially = resource.fields.flatMap(({ name, nullable, initial }) =>
    initial.kind === 'value' ? [{ name, nullable, isNull: initial.value === null }] : [],
  );
  expect(initially.filter(({ nullable, isNull }) => nullable !== isNull)).toEqual([]);
  for (const name of resource.creatable) expect(findField(resource, name)).toBeDefined();
});

test.each(builtInCatalog.resources)('a label of $name is that of one field, however it is spelled', ({ fields }) => {
  // As an import compares them.
  const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[\s_.-]/g, '');
  for (const field of fields) {
    const others = fields.filter((other) => other !== field);
    const taken = others.flatMap(({ name, label }) => [name, label]).map(lettersOf);
    expect(field.label).toMatch(/^\S/);
    expect(taken).not.toContain(lettersOf(field.label));
  }
});

test('the resources have the specified fields and types, among others that were added', () => {
  const types = Object.fromEntries(
    builtInCatalog.resources.map(({ path, fields }) => [
      path,
      Object.fromEntries(fields.map(({ name, type, nullable }) => [name, nullable ? `${type} or null` : type])),
    ]),
  );
  expect(types).toMatchObject({
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
