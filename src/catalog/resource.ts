/** What a resource declares. Columns, validation, filters, import, export and docs all derive from these declarations. */

import type { Value } from './value.ts';
import type { ValueType } from './value-types.ts';

export interface Resource {
  /** Used on the command line and as the table's name. */
  readonly name: string;
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly plural: string;
  readonly meaning: string;
  /** Shown to people who have no filter yet. */
  readonly exampleFilter: string;
  /** In the order a record shows them; the first is `id`. */
  readonly fields: readonly Field[];
  /** Products of two fields whose sum means something. */
  readonly amounts?: readonly Amount[];
  /** The fields a create request may set; empty if records cannot be created over HTTP. */
  readonly creatable: readonly string[];
}

export interface Amount {
  readonly label: string;
  readonly factors: readonly [string, string];
  /** As in a field. */
  readonly decimals?: number;
}

export interface Field {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly initial: Initial;
  readonly meaning: string;
  /** Indexed for `contains`. */
  readonly searched?: true;
  /** Indexed for exact values. */
  readonly indexed?: true;
  /** Has few distinct values, so that these can be counted. */
  readonly category?: true;
  /** Not among the columns that the console shows first. */
  readonly secondary?: true;
  /** How many decimals numbers are shown with at least, so that equal numbers look the same on every page. */
  readonly decimals?: number;
  /** What its text stands for: ISO 3166-1 alpha-2. */
  readonly codes?: 'countries';
}

export function fieldNames(resource: Resource): readonly string[] {
  return resource.fields.map((field) => field.name);
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

export const id: Field = {
  name: 'id',
  type: 'integer',
  nullable: false,
  initial: { kind: 'id' },
  meaning: 'record identifier, 1 or more',
};

export const createDate: Field = {
  name: 'create_date',
  type: 'timestamp',
  nullable: false,
  initial: { kind: 'created' },
  meaning: 'when the record was created',
};

export const writeDate: Field = {
  name: 'write_date',
  type: 'timestamp',
  nullable: false,
  initial: { kind: 'written' },
  meaning: 'when the record was last changed',
};

export function required(name: string, type: ValueType, meaning: string): Field {
  return { name, type, nullable: false, initial: { kind: 'required' }, meaning };
}

export function nullable(name: string, type: ValueType, meaning: string): Field {
  return { name, type, nullable: true, initial: { kind: 'value', value: null }, meaning };
}

export function withDefault(name: string, type: ValueType, value: Value, meaning: string): Field {
  return { name, type, nullable: false, initial: { kind: 'value', value }, meaning };
}

export function searched(field: Field): Field {
  return { ...field, searched: true };
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

/** The name as people write it: `List price` for `list_price`. */
export function labelOf({ name }: Field | Resource): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function apiPath(resource: Resource): string {
  return `/api/v1/${resource.path}`;
}
