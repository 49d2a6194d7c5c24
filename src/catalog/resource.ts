/** What a resource declares. Columns, validation, filters, import, export and docs all derive from these declarations. */

import type { Value } from './value.ts';
import { type ValueType, valueTypes } from './value-types.ts';

/** What of a resource is the same in every deployment: everything but its fields. */
export interface ResourceOutline {
  /** Used on the command line and as the table's name. */
  readonly name: string;
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly plural: string;
  readonly meaning: string;
  /** Shown to people who have no filter yet. */
  readonly exampleFilter: string;
  /** Products of two fields whose sum means something. */
  readonly amounts?: readonly Amount[];
  /** Whether records can be created over HTTP one by one. */
  readonly isCreatable: boolean;
}

/** The version of the catalog in which all fields are built in. */
export const BUILT_IN = 0;

export interface Resource extends ResourceOutline {
  /** The version of its catalog. What was computed with the fields of one version does not hold for another. */
  readonly version: number;
  /** In the order a record shows them; the first is `id`. */
  readonly fields: readonly Field[];
  /** The fields a create request may set; empty if records cannot be created over HTTP. */
  readonly creatable: readonly string[];
}

/** A resource as the program declares it. */
export function builtIn(declared: Omit<Resource, 'version' | 'isCreatable'>): Resource {
  return { ...declared, version: BUILT_IN, isCreatable: declared.creatable.length > 0 };
}

export interface Amount {
  readonly label: string;
  readonly factors: readonly [string, string];
  /** As in a field. */
  readonly kind?: 'money';
  readonly decimals?: number;
}

export interface Field {
  /** In the API. */
  readonly name: string;
  /** In the database. Built-in fields have columns with their names. */
  readonly column: string;
  /** What people call it: `Sales price`. An import finds columns by it, so it differs from the names and labels of all other fields. */
  readonly label: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly initial: Initial;
  readonly meaning: string;
  /** Indexed for `contains`, and looked at by a search. */
  readonly searched?: true;
  /** Identifies the record for people, who leave out what separates its parts. */
  readonly code?: true;
  /** Indexed for exact values. */
  readonly indexed?: true;
  /** No two records of an account have the same value. It is indexed as well. */
  readonly unique?: true;
  /** The only texts that it can hold. */
  readonly choices?: readonly string[];
  /** Whether an operator has added it. */
  readonly isOwn?: true;
  /** Has few distinct values, so that these can be counted. */
  readonly category?: true;
  /** Not among the columns that the console shows first. */
  readonly secondary?: true;
  /** How many decimals numbers are shown with at least, so that equal numbers look the same on every page. */
  readonly decimals?: number;
  readonly kind?: FieldKind;
  /** The heading under which a record shows it. The fields that people look for first have none. */
  readonly group?: string;
}

/** What values are beyond their type. It decides how people see them. */
export type FieldKind =
  /** An amount in the currency of the account. */
  | 'money'
  | 'email'
  | 'phone'
  /** ISO 3166-1 alpha-2. */
  | 'country'
  /** False if the record is no longer in use. */
  | 'active';

export function fieldNames(resource: Resource): readonly string[] {
  return resource.fields.map((field) => field.name);
}

/** Those that no two records have the same value in. */
export function uniqueFields(resource: Resource): readonly Field[] {
  return resource.fields.filter(({ unique }) => unique);
}

/** Those that identify a record for people, or alone, so that records with the same value are probably the same. */
export function codeFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => (field.code || field.unique) && canBeKey(field));
}

/** Whether an import can find records by a field. */
export function canBeKey({ type }: Pick<Field, 'type'>): boolean {
  const { storage } = valueTypes[type];
  return storage === 'text' || storage === 'integer';
}

/** What a new record holds in a field that was not given. */
export type Initial =
  /** The next id of the ledger. */
  | { readonly kind: 'id' }
  /** The time the record was created. */
  | { readonly kind: 'created' }
  /** The time the record was last written. */
  | { readonly kind: 'written' }
  /** Nothing: leaving it out is an error. */
  | { readonly kind: 'required' }
  | { readonly kind: 'value'; readonly value: Value | null };

/** Whether only the service sets a field, except in an import. */
export function isFixed({ initial }: Field): boolean {
  return initial.kind === 'id' || initial.kind === 'created' || initial.kind === 'written';
}

/** The group of what the service knows about every record. */
const RECORD = 'Record';

export const id: Field = {
  name: 'id',
  column: 'id',
  label: 'ID',
  type: 'integer',
  nullable: false,
  initial: { kind: 'id' },
  meaning: 'record identifier, 1 or more',
  group: RECORD,
};

export const createDate: Field = {
  name: 'create_date',
  column: 'create_date',
  label: 'Created',
  type: 'timestamp',
  nullable: false,
  initial: { kind: 'created' },
  meaning: 'when the record was created',
  group: RECORD,
};

export const writeDate: Field = {
  name: 'write_date',
  column: 'write_date',
  label: 'Changed',
  type: 'timestamp',
  nullable: false,
  initial: { kind: 'written' },
  meaning: 'when the record was last changed',
  group: RECORD,
};

export function required(name: string, label: string, type: ValueType, meaning: string): Field {
  return { name, column: name, label, type, nullable: false, initial: { kind: 'required' }, meaning };
}

export function nullable(name: string, label: string, type: ValueType, meaning: string): Field {
  return { name, column: name, label, type, nullable: true, initial: { kind: 'value', value: null }, meaning };
}

export function withDefault(name: string, label: string, type: ValueType, value: Value, meaning: string): Field {
  return { name, column: name, label, type, nullable: false, initial: { kind: 'value', value }, meaning };
}

export function grouped(group: string, fields: readonly Field[]): readonly Field[] {
  return fields.map((field) => ({ ...field, group }));
}

export function searched(field: Field): Field {
  return { ...field, searched: true };
}

export function code(field: Field): Field {
  return { ...field, code: true };
}

export function indexed(field: Field): Field {
  return { ...field, indexed: true };
}

export function category(field: Field): Field {
  return { ...field, category: true };
}

export function secondary(field: Field): Field {
  return { ...field, secondary: true };
}

/** Undefined for a required field, and for `id`, which the ledger assigns. */
export function initialValue({ initial }: Field, now: string): Value | null | undefined {
  switch (initial.kind) {
    case 'created':
    case 'written':
      return now;
    case 'value':
      return initial.value;
    case 'id':
    case 'required':
      return undefined;
  }
}

export function apiPath(resource: ResourceOutline): string {
  return `/api/v1/${resource.path}`;
}
