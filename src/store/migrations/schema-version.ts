/** The schema that this version of the program supports. Not beside the migrations: threads need it, and would load all of them. */

/** The number of the last migration. */
export const SCHEMA_VERSION = 8;

/** The name of the first migration. Databases that were made during development, before the first release, have another one. */
export const FIRST_MIGRATION = 'first schema';

/** The last migration that was applied to a database, and the name of the first one. */
export const APPLIED_MIGRATIONS = `SELECT coalesce(max(number), 0) AS number,
  coalesce((SELECT name FROM migration WHERE number = 1), '${FIRST_MIGRATION}') AS first FROM migration`;

/** Why a database with these migrations cannot be used; undefined if it can. */
export function unsupportedSchema(database: string, version: number, first: string): string | undefined {
  if (first !== FIRST_MIGRATION)
    return `${database} was made by a development version of Stockbook, from before the first release. Export its records with that version ("stockbook export"), and import them into a new database.`;
  if (version <= SCHEMA_VERSION) return undefined;
  return `${database} was written by a newer Stockbook: it has schema ${version}, this version supports ${SCHEMA_VERSION}. Use that version or a later one.`;
}
