/** Defects that crashes, failing calls and lost connections find. */

import type { Defect, FindingTest } from './defect.ts';

/** Most are found by the sample of the gate. */
const RUNS = [
  { mode: 'test', seed: 1 },
  { mode: 'crashes', seed: 1 },
] as const;

const crash = (file: string, name: string): FindingTest => ({
  file: `crashes/${file}.test.ts`,
  name: `a crash while ${name}`,
  runs: RUNS,
});

const FOUND_BY = {
  records: crash('records', 'records are written'),
  imports: crash('imports.slow', 'rows are imported'),
  keys: crash('administration.slow', 'keys are issued and revoked'),
  fields: crash('administration.slow', 'fields are added and views saved'),
  accounts: crash('administration.slow', 'accounts are added and removed'),
  backups: crash('files.slow', 'a backup is made and restored'),
  upgrades: crash('files.slow', 'a database is upgraded'),
  firstDatabase: crash('files.slow', 'a database is created'),
  failingCalls: { file: 'calls/service.slow.test.ts', name: 'creates', runs: RUNS },
  lostConnections: { file: 'calls/postgres.slow.test.ts', name: 'changes', runs: RUNS },
} as const satisfies Readonly<Record<string, FindingTest>>;

export const crashDefects: readonly Defect[] = [
  {
    name: 'commits are not synchronized',
    file: 'src/store/sqlite/connection.ts',
    text: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL',
    replacement: 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL',
    foundBy: FOUND_BY.records,
  },
  {
    name: 'a batch is written twice',
    file: 'src/store/engine/batcher.ts',
    text: '      outcomes = await this.#options.run(batch.map(({ item }) => item));',
    replacement: `      await this.#options.run(batch.map(({ item }) => item));
      outcomes = await this.#options.run(batch.map(({ item }) => item));`,
    foundBy: FOUND_BY.records,
  },
  {
    name: 'a write consists of several transactions',
    file: 'src/store/sqlite/connection.ts',
    text: `      const returned = this.read(statement);
      if (statement.returnsMany)`,
    replacement: `      const returned = this.read(statement);
      if (statement.text.startsWith('INSERT INTO partner')) this.execute('RELEASE one_write; COMMIT; BEGIN; SAVEPOINT one_write');
      if (statement.returnsMany)`,
    foundBy: FOUND_BY.records,
  },
  {
    name: 'a revision is skipped',
    file: 'src/store/sql/load-statements.ts',
    text: 'THEN revision + 1 ELSE revision END',
    replacement: 'THEN revision + 2 ELSE revision END',
    foundBy: FOUND_BY.records,
  },
  {
    name: 'the tombstones of an import are lost',
    file: 'src/store/sql/load-statements.ts',
    text: '      bury: buryStatement(resource.name, { records: removedRecords, revision, now: plan.now }, dialect),\n',
    replacement: '',
    foundBy: FOUND_BY.records,
  },
  {
    name: 'an idempotency key is not stored',
    file: 'src/store/sql/load-statements.ts',
    text: '    ...(end.saveKey && { saveKey: end.saveKey }),\n',
    replacement: '',
    foundBy: FOUND_BY.imports,
  },
  {
    name: 'the position of a source is not stored with its rows',
    file: 'src/store/sqlite/connection.ts',
    text: `      const returned = this.read(statement);
      if (statement.returnsMany)`,
    replacement: `      const returned = this.read(statement);
      if (staged !== undefined && statement.text.includes('INTO source')) this.execute('RELEASE one_write; COMMIT; BEGIN; SAVEPOINT one_write');
      if (statement.returnsMany)`,
    foundBy: FOUND_BY.imports,
  },
  {
    name: 'a revocation is acknowledged before it is on the disk',
    file: 'src/store/sqlite/revocation-file.ts',
    text: 'PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL',
    replacement: 'PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF',
    foundBy: FOUND_BY.keys,
  },
  {
    name: 'a revocation is forgotten before it is in the database',
    file: 'src/store/accounts/keys.ts',
    text: `    await this.#revoke(revocation);
    this.#engine.revocations.remove(revocation.key);`,
    replacement: `    this.#engine.revocations.remove(revocation.key);
    await this.#revoke(revocation);`,
    foundBy: FOUND_BY.keys,
  },
  {
    name: 'a field is added in two transactions',
    file: 'src/store/fields/fields.ts',
    text: `    const isChanged = await this.#change(catalog, after.version, 'field added', resource, field, [
      ...required.map(plain),`,
    replacement: `    await this.#engine.writeLarge(required.map(plain));
    const isChanged = await this.#change(catalog, after.version, 'field added', resource, field, [`,
    foundBy: FOUND_BY.fields,
  },
  {
    name: 'the removal of an account is not remembered',
    file: 'src/store/accounts/accounts.ts',
    text: `INSERT INTO removal (account_id, began_at) SELECT account.id, \${dialect.now} FROM account WHERE account.id = \${owner}`,
    replacement: `INSERT INTO removal (account_id, began_at) SELECT account.id, \${dialect.now} FROM account WHERE account.id = -\${owner}`,
    foundBy: FOUND_BY.accounts,
  },
  {
    name: 'a database is upgraded in several transactions',
    file: 'src/store/sqlite/migrate.ts',
    text: '  for (const step of sqlite) connection.execute(step);',
    replacement: `  for (const step of sqlite) connection.execute(\`\${step}; COMMIT; BEGIN\`);`,
    foundBy: FOUND_BY.upgrades,
  },
  {
    name: 'a backup appears before it is complete',
    file: 'src/store/sqlite/temporary-file.ts',
    text: `this.path = \`\${target}.partial-\${process.pid}\`;`,
    replacement: 'this.path = target;\n    rmSync(target, { force: true });',
    foundBy: FOUND_BY.backups,
  },
  {
    name: 'the name of a backup is not synchronized',
    file: 'src/store/sqlite/temporary-file.ts',
    text: '    sync(dirname(this.#target));\n',
    replacement: '',
    foundBy: FOUND_BY.backups,
  },
  {
    name: 'the name under which a restore keeps the previous file is not synchronized',
    file: 'src/store/backups/restore.ts',
    text: '  sync(dirname(target));\n',
    replacement: '',
    foundBy: FOUND_BY.backups,
  },
  {
    name: 'the folder of a new database is not synchronized',
    file: 'src/store/sqlite/open.ts',
    text: '    sync(dirname(directory));\n',
    replacement: '',
    foundBy: FOUND_BY.firstDatabase,
  },
  {
    name: 'a restore copies over the database',
    file: 'src/store/sqlite/temporary-file.ts',
    text: '      renameSync(this.path, this.#target);',
    replacement: '      writeFileSync(this.#target, readFileSync(this.path));',
    foundBy: FOUND_BY.backups,
  },
  {
    name: 'an error of the disk is taken for success',
    file: 'src/store/sqlite/writer-thread.ts',
    text: '      return writes.map(() => failureOf(error, this.#path));',
    replacement: "      return writes.map(() => ({ kind: 'done', result: { isCommitted: true, rows: [] } }));",
    foundBy: FOUND_BY.failingCalls,
  },
  {
    name: 'PostgreSQL: a write is acknowledged before it is committed',
    file: 'src/store/postgres/engine.ts',
    text: `    await connection.query('COMMIT');
    return outcomes;`,
    replacement: `    connection.query('COMMIT').catch(() => undefined);
    return outcomes;`,
    foundBy: FOUND_BY.lostConnections,
  },
];
