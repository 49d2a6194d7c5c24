/** What the declaration of a resource says: the one place from which schema, validation, import and docs derive. */

import type { ValueType } from '../filter/operators.ts';

/** A value as the program holds it. A timestamp is its text in UTC, to the millisecond: `2026-01-31T09:30:00.000Z`. */
export type Value = string | number | boolean;

export interface Resource {
  /** As the command line and the database call it. */
  readonly name: string;
  /** Under `/api/v1/`. */
  readonly path: string;
  readonly plural: string;
  readonly meaning: string;
  /** The number of the migration that brings its table. */
  readonly since: number;
  /** In the order in which a record shows them; the first is `id`. */
  readonly fields: readonly Field[];
  /** The names of the fields that a create request gives; empty where records cannot be created over HTTP. */
  readonly creatable: readonly string[];
}

export interface Field {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly initial: Initial;
  readonly meaning: string;
  /** Often looked for by a part of its text: engines that can, index it for that. */
  readonly searched?: true;
  /** Often looked for by its exact value, so it is indexed for that. */
  readonly indexed?: true;
  /** The number of the migration that brings it, where it joined its resource later. */
  readonly since?: number;
}

export function fieldNames(resource: Resource): readonly string[] {
  return resource.fields.map((field) => field.name);
}

/** What a field holds where nothing is given: the ledger's next id, a time, a value, or nothing at all, which is an error. */
export type Initial =
  | { readonly kind: 'id' }
  /** The time at which the record was created. */
  | { readonly kind: 'created' }
  /** The time at which the record was last written. */
  | { readonly kind: 'written' }
  | { readonly kind: 'required' }
  | { readonly kind: 'value'; readonly value: Value | null };

/** The longest text that a field holds, in characters (code points). */
export const MAX_TEXT_LENGTH = 1_000;

/** The longest text of a field that is indexed by its exact value, in bytes of UTF-8: PostgreSQL has no room for more in an index. */
export const MAX_INDEXED_BYTES = 2_500;

/** Ids and other integers stay within what JSON numbers carry exactly everywhere. */
export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

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

export function searched(field: Field): Field {
  return { ...field, searched: true };
}

export function indexed(field: Field): Field {
  return { ...field, indexed: true };
}

export function nullable(name: string, type: ValueType, meaning: string): Field {
  return { name, type, nullable: true, initial: { kind: 'value', value: null }, meaning };
}

export function withDefault(name: string, type: ValueType, value: Value, meaning: string): Field {
  return { name, type, nullable: false, initial: { kind: 'value', value }, meaning };
}

/** What a new record holds in a field that was not given; nothing where that is an error, or the ledger's business. */
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

/** Where a resource is served. */
export function apiPath(resource: Resource): string {
  return `/api/v1/${resource.path}`;
}
