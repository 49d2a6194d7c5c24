/** The columns that store the fields of the catalog. */

import { fold } from '../../catalog/fold.ts';
import { memoize } from '../../catalog/memoize.ts';
import type { Field, Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import { isText, type Storage, storageOf } from '../../catalog/value-types.ts';
import type { TextForm } from '../../plan/plan.ts';

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
    const plain: Column = { name: field.column, storage, field, stored: (value) => value };
    return isText(field) ? [plain, { name: foldedColumn(field), storage, field, stored: foldValue }] : [plain];
  }),
);

export function foldedColumn({ column }: Field): string {
  return `${column}_fold`;
}

/** The SQL for the text of a field in one of its forms. `row` precedes the name of its column. */
export function textColumn(field: Field, form: TextForm, row = ''): string {
  const folded = `${row}${foldedColumn(field)}`;
  return form === 'folded' ? folded : compacted(folded);
}

/** As `compact` in the catalog, on both engines. */
function compacted(column: string): string {
  return [...'-/. '].reduce((text, separator) => `replace(${text}, '${separator}', '')`, column);
}

/** One of the texts in a search index. */
export interface SearchedText {
  /** The name of its column in the index, if that is a table. */
  readonly name: string;
  readonly field: Field;
  readonly form: TextForm;
}

export const searchedTexts = memoize((resource: Resource): readonly SearchedText[] =>
  resource.fields.flatMap((field) =>
    field.searched ? formsOf(field).map((form) => ({ name: searchColumn(field, form), field, form })) : [],
  ),
);

/** The column of a search index that has this form of a field. */
export function searchColumn(field: Field, form: TextForm): string {
  return form === 'folded' ? foldedColumn(field) : `${field.column}_compact`;
}

function formsOf({ code }: Field): readonly TextForm[] {
  return code ? ['folded', 'compact'] : ['folded'];
}

/** The column by which a field is sorted. */
export function sortColumn(field: Field): string {
  return isText(field) ? foldedColumn(field) : field.column;
}

function foldValue(value: Value | null): Value | null {
  return typeof value === 'string' ? fold(value) : value;
}
