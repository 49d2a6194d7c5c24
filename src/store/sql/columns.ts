/** How the fields of the catalog lie in a table's columns. */

import { fold } from '../../catalog/fold.ts';
import type { Field, Resource, Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import { madeOnce } from './made-once.ts';

export interface Column {
  readonly name: string;
  readonly type: ValueType;
  readonly nullable: boolean;
  readonly field: Field;
  /** What the column holds of the field's value. */
  readonly holds: (value: Value | null) => Value | null;
}

/** Beside each text its folded form, by which it is searched and sorted. */
export const columnsOf = madeOnce((resource: Resource): readonly Column[] =>
  resource.fields.flatMap((field) => {
    const { name, type, nullable } = field;
    const plain: Column = { name, type, nullable, field, holds: (value) => value };
    if (type !== 'text') return [plain];
    return [plain, { name: foldedColumn(field), type, nullable, field, holds: foldValue }];
  }),
);

export function foldedColumn(field: Field): string {
  return `${field.name}_fold`;
}

function foldValue(value: Value | null): Value | null {
  return typeof value === 'string' ? fold(value) : value;
}
