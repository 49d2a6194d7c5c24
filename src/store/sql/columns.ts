/** The columns that store the fields of the catalog. */

import { fold } from '../../catalog/fold.ts';
import type { Field, Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import { isText, type Storage, storageOf } from '../../catalog/value-types.ts';
import { memoize } from './memoize.ts';

export interface Column {
  readonly name: string;
  readonly storage: Storage;
  readonly field: Field;
  /** What the column stores of the field's value. */
  readonly stored: (value: Value | null) => Value | null;
}

/** Text has a second column with its folded form, by which it is searched and sorted. */
export const columnsOf = memoize((resource: Resource): readonly Column[] =>
  resource.fields.flatMap((field) => {
    const storage = storageOf(field);
    const plain: Column = { name: field.name, storage, field, stored: (value) => value };
    return isText(field) ? [plain, { name: foldedColumn(field), storage, field, stored: foldValue }] : [plain];
  }),
);

export function foldedColumn({ name }: Field): string {
  return `${name}_fold`;
}

/** The column by which a field is sorted. */
export function sortColumn(field: Field): string {
  return isText(field) ? foldedColumn(field) : field.name;
}

function foldValue(value: Value | null): Value | null {
  return typeof value === 'string' ? fold(value) : value;
}
