/** The schema that this version of the program supports. Not beside the migrations: threads need it, and would load all of them. */

/** The number of the last migration. */
export const SCHEMA_VERSION = 14;

export function newerSchemaMessage(database: string, version: number): string {
  return `${database} was written by a newer Stockbook: it has schema ${version}, this version supports ${SCHEMA_VERSION}. Use that version or a later one.`;
}
