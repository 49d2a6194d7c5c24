/** What tables lack of what the catalog declares, and what the statements are that add it. */

import type { Field, Resource } from '../../catalog/resource.ts';
import { columnsOf, searchedTexts } from './columns.ts';

/** What a table lacks of what the catalog declares. */
export interface TableDifference {
  readonly resource: Resource;
  /** Whether the whole table is missing. */
  readonly isNew: boolean;
  /** Missing columns. */
  readonly columns: readonly string[];
  /** Columns whose value index is missing. */
  readonly indexed: readonly string[];
  /** Columns that the search index lacks. */
  readonly searched: readonly string[];
}

/** Statements. */
export interface TableStatements {
  /** Without them, the fields cannot be used. They take a moment. */
  readonly required: readonly string[];
  /** They make it faster, and read all records. */
  readonly indexes: readonly string[];
}

/** What the table of a resource lacks if it has all fields but these. */
export function differenceOfFields(resource: Resource, fields: readonly Field[]): TableDifference {
  return {
    resource,
    isNew: false,
    columns: fields.flatMap((field) => columnNames(resource, field)),
    indexed: fields.flatMap(({ indexed, column }) => (indexed ? [column] : [])),
    searched: searchedTexts(resource).flatMap(({ field, name }) => (fields.includes(field) ? [name] : [])),
  };
}

export function columnNames(resource: Resource, field: Field): readonly string[] {
  return columnsOf(resource).flatMap((column) => (column.field === field ? [column.name] : []));
}
