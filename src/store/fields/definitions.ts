/** What the database says about the fields that operators have added. */

import { builtInCatalog, type Catalog } from '../../catalog/catalog.ts';
import { catalogWith, isOwnField, type OwnField } from '../../catalog/own-field.ts';
import { integerOf, type Row, textOf, textOrNullOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';

/** A row for each, and at least one, with the version of all of them. */
export const DEFINITIONS = `SELECT counter.value AS version, own_field.resource, own_field.name, own_field.definition
  FROM counter LEFT JOIN own_field ON 1 = 1 WHERE counter.name = 'fields' ORDER BY position`;

/** By the names of their resources. */
export type OwnFields = ReadonlyMap<string, readonly OwnField[]>;

export interface Definitions {
  readonly catalog: Catalog;
  readonly own: OwnFields;
}

export const NO_DEFINITIONS: Definitions = { catalog: builtInCatalog, own: new Map() };

/** Their names become part of statements, so nothing but what this program would write is accepted. */
export function definitionsIn(rows: readonly Row[]): Definitions {
  const [first] = rows;
  if (first === undefined) throw damaged();
  const defined = rows.filter((row) => textOrNullOf(row, 'resource') !== null);
  const own = new Map(
    [...Map.groupBy(defined, (row) => textOf(row, 'resource'))].map(([name, some]) => [name, some.map(definitionIn)]),
  );
  return { catalog: catalogWith(builtInCatalog, integerOf(first, 'version'), own), own };
}

function definitionIn(row: Row): OwnField {
  let parsed: unknown;
  try {
    parsed = JSON.parse(textOf(row, 'definition'));
  } catch {
    throw damaged();
  }
  if (!isOwnField(parsed) || parsed.name !== textOf(row, 'name')) throw damaged();
  return parsed;
}

function damaged(): UnusableDatabase {
  return new UnusableDatabase('The definitions of fields in the database are damaged. Restore a backup.', 'damaged');
}
