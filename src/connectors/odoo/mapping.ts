/** Which fields of Odoo become which fields of Stockbook, and how. */

import type { AccountField } from '../mirror/account.ts';
import type { OdooRow } from './odoo.ts';
import type { OdooField } from './reader.ts';

export type Value = string | number | boolean | null;

/** A resource of Stockbook, and the model of Odoo that it mirrors. */
export interface MirroredModel {
  readonly resource: 'product' | 'partner' | 'company';
  readonly model: string;
  /** Read by Odoo only if stock is installed, and its user may; the mirror has other ways. */
  readonly quantity?: string;
  readonly rules: readonly Rule[];
  /** The model that it inherits fields from, through a reference. */
  readonly inherits?: { readonly through: string; readonly model: string };
}

/** How a field of Stockbook gets its value. */
export interface Rule {
  readonly field: string;
  /** The fields of Odoo that it needs. If one of them does not exist there, the field keeps its default. */
  readonly from: readonly string[];
  /** Undefined if the service is to set it. */
  readonly value: (row: OdooRow) => Value | undefined;
}

const QUANTITY = 'qty_available';

/** Records that were made by SQL may have none. */
const TIMES: readonly Rule[] = ['create_date', 'write_date'].map((name) => ({
  field: name,
  from: [name],
  value: (row) => timestamp(row[name]) ?? undefined,
}));

export const mirroredModels: readonly MirroredModel[] = [
  {
    resource: 'product',
    model: 'product.product',
    quantity: QUANTITY,
    inherits: { through: 'product_tmpl_id', model: 'product.template' },
    rules: [
      { field: 'name', from: ['name'], value: (row) => named(row, 'Product', row['name']) },
      same('default_code', text),
      same('list_price', number),
      same('active', boolean),
      ...['categ_id', 'product_tmpl_id'].map((name) => same(name, integer)),
      ...TIMES,
    ],
  },
  {
    resource: 'partner',
    model: 'res.partner',
    rules: [
      // Addresses may have no name of their own.
      {
        field: 'name',
        from: ['name', 'complete_name'],
        value: (row) => named(row, 'Partner', row['name'], row['complete_name']),
      },
      ...['is_company', 'active'].map((name) => same(name, boolean)),
      { field: 'is_employee', from: ['employee'], value: (row) => boolean(row['employee']) },
      { field: 'is_customer', from: ['customer_rank'], value: (row) => Number(row['customer_rank']) > 0 },
      { field: 'is_vendor', from: ['supplier_rank'], value: (row) => Number(row['supplier_rank']) > 0 },
      ...['ref', 'email', 'phone', 'vat', 'street', 'city', 'zip', 'country_code'].map((name) => same(name, text)),
      ...TIMES,
    ],
  },
  {
    resource: 'company',
    model: 'res.company',
    rules: [
      { field: 'name', from: ['name'], value: (row) => named(row, 'Company', row['name']) },
      { field: 'company_code', from: ['company_registry'], value: (row) => text(row['company_registry']) },
      // Odoo has no such thing. The first user who may work for the company always stays the same.
      { field: 'branch_user', from: ['user_ids'], value: (row) => String(Math.min(...idsIn(row['user_ids']))) },
      ...TIMES,
    ],
  },
];

function same(name: string, value: (odoo: unknown) => Value): Rule {
  return { field: name, from: [name], value: (row) => value(row[name]) };
}

/** The first of the names that is not blank, which every record needs. */
function named({ id }: OdooRow, kind: string, ...names: readonly unknown[]): string {
  return names.map(text).find((name) => name !== null && name.trim() !== '') ?? `${kind} ${id}`;
}

function idsIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.length > 0 ? value.map(Number) : [0];
}

/** Whatever is empty is `false` in Odoo, except for numbers and booleans. */
function text(value: unknown): string | null {
  return value === false || value === null || value === undefined ? null : String(value);
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function integer(value: unknown): number | null {
  // A reference that was read with its name.
  return number(Array.isArray(value) ? value[0] : value);
}

function boolean(value: unknown): boolean {
  return value === true;
}

/** `2026-01-31 12:00:00`, in UTC. */
function timestamp(value: unknown): string | null {
  return typeof value === 'string' ? `${value.replace(' ', 'T')}Z` : null;
}

/** The type of a field of Stockbook that can hold a field of Odoo; undefined if none can. */
export function typeFor(odooType: string): AccountField['type'] | undefined {
  return conversionOf(odooType)?.type;
}

/** Types have names that Odoo chooses. */
function conversionOf(odooType: string): Conversion | undefined {
  return Object.hasOwn(CONVERSIONS, odooType) ? CONVERSIONS[odooType] : undefined;
}

interface Conversion {
  readonly type: AccountField['type'];
  readonly value: (odoo: unknown) => Value;
}

const TEXT: Conversion = { type: 'text', value: text };
const INTEGER: Conversion = { type: 'integer', value: integer };
const NUMBER: Conversion = { type: 'number', value: number };

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  char: TEXT,
  text: TEXT,
  html: TEXT,
  selection: TEXT,
  reference: TEXT,
  date: TEXT,
  integer: INTEGER,
  many2one: INTEGER,
  many2one_reference: INTEGER,
  float: NUMBER,
  monetary: NUMBER,
  boolean: { type: 'boolean', value: boolean },
  datetime: { type: 'timestamp', value: timestamp },
};

/** What somebody wants to be mirrored besides: a field of Stockbook and one of Odoo. */
export interface AddedField {
  readonly resource: string;
  readonly field: string;
  readonly odoo: string;
}

/** A mapping that is wrong, in a sentence. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
}

/** The rules of a model, without those whose fields Odoo does not have, and with those that were added. */
export function rulesFor(
  { resource, model, rules }: MirroredModel,
  odooFields: readonly OdooField[],
  accountFields: readonly AccountField[],
  added: readonly AddedField[],
): readonly Rule[] {
  const types = new Map(odooFields.map(({ name, type }) => [name, type]));
  const own = added
    .filter((each) => each.resource === resource)
    .map((each) => ruleFor(each, model, types, accountFields));
  const repeated = own.find(({ field }, index) => own.findIndex((other) => other.field === field) < index);
  if (repeated !== undefined) throw new MappingError(`Two pairs name ${repeated.field} of ${resource}.`);
  const replaced = new Set(own.map(({ field }) => field));
  const usable = rules.filter(({ field, from }) => !replaced.has(field) && from.every((name) => types.has(name)));
  return [...usable, ...own];
}

function ruleFor(
  { resource, field, odoo }: AddedField,
  model: string,
  types: ReadonlyMap<string, string>,
  accountFields: readonly AccountField[],
): Rule {
  if (field === 'id') throw new MappingError(`The id of a ${resource} is always that of Odoo.`);
  const target = accountFields.find((each) => each.resource === resource && each.name === field);
  if (target === undefined)
    throw new MappingError(
      `${field} is not a field of ${resource} in Stockbook. "stockbook field add ${resource} ${field} TYPE" adds it.`,
    );
  const type = types.get(odoo);
  if (type === undefined)
    throw new MappingError(`${model} has no field ${odoo} in Odoo. "stockbook mirror odoo fields" lists all of them.`);
  const conversion = conversionOf(type);
  if (conversion === undefined) throw new MappingError(`${odoo} is of the type ${type}, which cannot be mirrored.`);
  const holds = target.type === conversion.type || (target.type === 'number' && conversion.type === 'integer');
  if (!holds && target.type !== 'text')
    throw new MappingError(`${field} holds a ${target.type}, but ${odoo} is a ${conversion.type}.`);
  const { value } = conversion;
  const asText = (odooValue: unknown): Value => {
    const converted = value(odooValue);
    return converted === null ? null : String(converted);
  };
  return { field, from: [odoo], value: (row) => (holds ? value : asText)(row[odoo]) };
}
