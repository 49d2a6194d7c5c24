/**
 * Writes the migration for what was changed in the catalog: `npm run migration -- "barcodes of products"`.
 *
 * It applies the existing migrations to an empty database, compares the result with the catalog, and writes the difference
 * as frozen SQL for both engines.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { processActor } from '../../src/store/accounts/process-actor.ts';
import { SCHEMA_VERSION } from '../../src/store/migrations/schema-version.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import type { TableDifference } from '../../src/store/sql/table-difference.ts';
import { UnsupportedChange } from '../../src/store/sql/table-statements.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { differenceOf, existingTable } from './schema.ts';
import { statementsFor } from './statements.ts';

const USAGE = `Usage: npm run migration -- NAME

Writes the migration for what was changed in src/catalog/: new resources, new fields,
new indexes. NAME says in a few words what changes, such as "barcodes of products".
`;

const DIRECTORY = new URL('../../src/store/migrations/', import.meta.url);

function main(args: readonly string[]): number {
  const [name, ...rest] = args;
  if (name === '--help') return print(USAGE);
  if (name === undefined || rest.length > 0 || !/^[a-z][a-z0-9 ,-]*$/i.test(name)) return fail(USAGE, 2);
  const differences = findDifferences();
  if (differences.length === 0) return print('The migrations already make what the catalog declares.\n');
  const file = write(name, differences);
  return print(
    `Wrote src/store/migrations/${file}. Read it, then run "npx vitest run test/store/migrations/migrations.test.ts" to record it.\n`,
  );
}

function findDifferences(): readonly TableDifference[] {
  const directory = mkdtempSync(join(tmpdir(), 'stockbook-migration-'));
  try {
    const path = join(directory, 'stockbook.db');
    const connection = new Connection(path, { create: true });
    migrate(connection, path, processActor());
    connection.close();
    const database = new DatabaseSync(path);
    const differences = builtInCatalog.resources.flatMap(
      (resource) => differenceOf(resource, existingTable(database, resource.name)) ?? [],
    );
    database.close();
    return differences;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function write(name: string, differences: readonly TableDifference[]): string {
  const number = SCHEMA_VERSION + 1;
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const file = `${String(number).padStart(4, '0')}-${words.join('-')}.ts`;
  const identifier = words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
  const statements = {
    sqlite: statementsFor(differences, sqliteDialect),
    postgres: statementsFor(differences, postgresDialect),
  };
  writeFileSync(
    new URL(file, DIRECTORY),
    `import type { Migration } from './migration.ts';

export const ${identifier}: Migration = {
  number: ${number},
  name: '${name}',
  sqlite: [${statements.sqlite.map(templateLiteral).join('')}
  ],
  postgres: [${statements.postgres.map(templateLiteral).join('')}
  ],
};
`,
  );
  register(file, identifier, number);
  return file;
}

function templateLiteral(statement: string): string {
  return `\n    \`${statement.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')}\`,`;
}

function register(file: string, identifier: string, number: number): void {
  const list = new URL('migrations.ts', DIRECTORY);
  const text = readFileSync(list, 'utf8')
    .replace("import type { Migration } from './migration.ts';", `import { ${identifier} } from './${file}';\n$&`)
    .replace(/(?<=migrations: readonly Migration\[\] = )\[([^\]]*)\]/, (_, names: string) =>
      listOf([...names.split(',').map((name) => name.trim()), identifier].filter((name) => name !== '')),
    );
  writeFileSync(list, text);
  const version = new URL('schema-version.ts', DIRECTORY);
  writeFileSync(version, readFileSync(version, 'utf8').replace(/(SCHEMA_VERSION = )\d+/, `$1${number}`));
}

/** As the formatter writes it: on one line if it fits. */
function listOf(names: readonly string[]): string {
  const line = `[${names.join(', ')}]`;
  const start = 'export const migrations: readonly Migration[] = ;';
  return start.length + line.length <= 120 ? line : `[\n${names.map((name) => `  ${name},\n`).join('')}]`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(text: string, code: number): number {
  process.stderr.write(text);
  return code;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UnsupportedChange)) throw error;
  process.exitCode = fail(`${error.message}\n`, 1);
}
