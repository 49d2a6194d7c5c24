/** Which fields of a record are requested, and what that makes of its type. */

import type { ValueTypes } from './generated/records.ts';

/** What all records have. */
export interface AnyRecord {
  readonly id: number;
}

export type FieldOf<R> = keyof R & string;

/** The value type of every field of a record. */
export type TypesOf<R> = Readonly<Record<FieldOf<R>, keyof ValueTypes>>;

/** The fields of a record whose value type is one of these. */
export type FieldOfType<T, Type> = { [F in keyof T & string]: T[F] extends Type ? F : never }[keyof T & string];

/** The same fields, if `id` is among them; otherwise `id` comes first. */
export function withId<F extends string>(fields: readonly F[]): readonly (F | 'id')[] {
  const names: readonly string[] = fields;
  return names.length === 0 || names.includes('id') ? fields : ['id', ...fields];
}

/** The same values. Throws if a number is not finite: JSON would make it null. */
export function withFiniteNumbers<Values extends object>(values: Values): Values {
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name} cannot be ${value}.`);
  return values;
}
