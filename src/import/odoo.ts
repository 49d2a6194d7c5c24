/**
 * Exports of Odoo. Columns have technical names or English labels; `id` is an external id such as `base.main_partner`, and `.id` the number of
 * the record, also after the name of a field that refers to another record: `Product Category/.id`; its label is `ID`. `false` is an empty cell.
 */

import { findField } from '../catalog/catalog.ts';
import type { Field, Resource } from '../catalog/resource.ts';

/** The names that Odoo has for fields which are called otherwise here, or by their English labels. */
const NAMES: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  product: new Map([
    ['internal reference', 'default_code'],
    ['sales price', 'list_price'],
    ['quantity on hand', 'qty_available'],
    ['product category', 'categ_id'],
    ['product template', 'product_tmpl_id'],
  ]),
  partner: new Map([
    ['is a company', 'is_company'],
    ['reference', 'ref'],
    ['tax id', 'vat'],
    ['country/country code', 'country_code'],
    ['country_id/code', 'country_code'],
    ['employee', 'is_employee'],
  ]),
  company: new Map([
    ['company name', 'name'],
    ['company id', 'company_code'],
    ['company_registry', 'company_code'],
  ]),
};

const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ['created on', 'create_date'],
  ['last updated on', 'write_date'],
  ['last modified on', 'write_date'],
]);

/** Columns that nobody else has. */
const TELLING =
  /^(?:\.id|External ID|Internal Reference|Quantity On Hand|Last Updated on)$|\/(?:\.id|id|ID|External ID)$/;

const EXTERNAL_ID = /^[A-Za-z_]\w*\.[\w.-]+$/;

/** `examples` has some cells of each column. */
export function isOdooExport(columns: readonly string[], examples: readonly (readonly string[])[]): boolean {
  return columns.some((name, index) => {
    if (TELLING.test(name)) return true;
    return name === 'id' && areExternalIds(examples[index] ?? []);
  });
}

export type OdooColumn = { readonly field: Field } | { readonly ignored: string };

/** Undefined if it is no column that is known from Odoo. */
export function odooColumn(resource: Resource, column: string, examples: readonly string[]): OdooColumn | undefined {
  if (column === 'External ID' || (column === 'id' && areExternalIds(examples))) return { ignored: EXTERNAL };
  if (column === '.id' || column === 'ID') return referred(resource, 'id');
  const field = fieldNamed(resource, column.toLowerCase());
  if (field !== undefined && (!isReference(field) || examples.every((cell) => ID_OR_EMPTY.test(cell))))
    return { field };
  if (field !== undefined) return { ignored: `has names instead of ids; export ${column}/.id as well` };
  const [, parent = '', child = ''] = /^(.+)\/([^/]+)$/.exec(column) ?? [];
  if (parent === '') return undefined;
  if (child === 'id' || child === 'External ID') return { ignored: EXTERNAL };
  const parentField = child === '.id' || child === 'ID' ? fieldNamed(resource, parent.toLowerCase()) : undefined;
  if (parentField !== undefined && isReference(parentField)) return { field: parentField };
  return { ignored: 'of other records' };
}

const EXTERNAL = 'an external id of Odoo';

const ID_OR_EMPTY = /^(?:\d*|False)$/;

function areExternalIds(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => EXTERNAL_ID.test(cell));
}

/** Whether a column would mean something in an export of Odoo. A path has to begin with a known field: `10/20` and `Image 1/Image 2` have slashes, too. */
export function isOdooColumn(resource: Resource, column: string): boolean {
  const [, first] = /^([^/]+)\/./.exec(column) ?? [];
  if (first !== undefined && fieldNamed(resource, first.toLowerCase()) === undefined)
    return fieldNamed(resource, column.toLowerCase()) !== undefined;
  return odooColumn(resource, column, []) !== undefined;
}

/** Lines below a record that have only cells of other records: `child_ids/name`. */
export function isOfOthers(column: string): boolean {
  return column.includes('/');
}

function fieldNamed(resource: Resource, name: string): Field | undefined {
  return findField(resource, NAMES[resource.name]?.get(name) ?? SHARED_NAMES.get(name) ?? name);
}

function referred(resource: Resource, name: string): OdooColumn | undefined {
  const field = findField(resource, name);
  return field && { field };
}

/** Whether it holds the id of another record. */
function isReference({ name, type }: Field): boolean {
  return type === 'integer' && name.endsWith('_id');
}

/** `[5, "Office"]`, a reference in Odoo's JSON. */
export function isReferencePair(json: unknown): json is readonly [number, string] {
  return Array.isArray(json) && json.length === 2 && Number.isInteger(json[0]) && typeof json[1] === 'string';
}
