/** Defects that histories find. */

import type { TestEngine } from '../../support/engines.ts';
import type { Defect, FindingTest } from './defect.ts';

/** Most are found by the sample of the gate. */
const RUNS = [
  ...[1, 2, 3].map((seed) => ({ mode: 'test', seed }) as const),
  ...[1, 2].map((seed) => ({ mode: 'crashes', seed }) as const),
];

/** A history on the engine that has the defect breaks a rule. */
function brokenOn(engine: TestEngine['name'], rule: string): FindingTest {
  return {
    file: 'histories/histories.slow.test.ts',
    name: `on ${engine} > round 1: everything that was answered can have been so`,
    says: `${rule}: `,
    runs: RUNS,
  };
}

export const historyDefects: readonly Defect[] = [
  {
    name: 'writes are acknowledged before they are committed',
    file: 'src/store/sqlite/connection.ts',
    text: `    begin.run();
    try {
      const result = body();
      this.#commit.run();`,
    // The test itself prepares a database with the same code, and closes it at once.
    replacement: `    if (this.#database.isTransaction) this.#commit.run();
    begin.run();
    try {
      const result = body();
      if (begin === this.#begin || process.env['STOCKBOOK_ADMIN_PORT'] === undefined) this.#commit.run();
      else setTimeout(() => this.#database.isTransaction && this.#commit.run(), 20);`,
    foundBy: brokenOn('SQLite', 'reads respect time'),
  },
  {
    name: 'commits do not wait for the log of the database',
    file: 'src/store/postgres/session-settings.ts',
    text: `jit: 'off',`,
    replacement: `jit: 'off', synchronous_commit: 'off',`,
    foundBy: brokenOn('PostgreSQL', 'reads respect time'),
  },
  {
    name: 'a record has the tag of its resource',
    file: 'src/handlers/record.ts',
    text: 'entityTag(session, found.written)',
    replacement: 'entityTag(session, found.version)',
    foundBy: brokenOn('SQLite', 'one write per revision'),
  },
  {
    name: 'versions are not always read again',
    file: 'src/store/versions/version-checks.ts',
    text: 'if (counter === undefined || counter !== this.#counter) this.#known.clear();',
    replacement:
      'if (counter === undefined || (counter !== this.#counter && Math.random() < 0.25)) this.#known.clear();',
    foundBy: brokenOn('SQLite', 'reads respect time'),
  },
  {
    name: 'a create leaves out a revision',
    file: 'src/store/sql/record-statements.ts',
    text: 'UPDATE ledger SET revision = revision +',
    replacement: 'UPDATE ledger SET revision = revision + 1 +',
    foundBy: brokenOn('PostgreSQL', 'no holes'),
  },
  {
    name: 'an import drops the tombstones of records that it does not bring back',
    file: 'src/store/sql/load-statements.ts',
    text: '          AND id IN (SELECT id',
    replacement: '          AND EXISTS (SELECT id',
    foundBy: brokenOn('SQLite', 'changes'),
  },
  {
    name: 'If-Match is ignored',
    file: 'src/handlers/edit.ts',
    text: 'existing: { versions },',
    replacement: 'existing: { versions: undefined },',
    foundBy: brokenOn('SQLite', 'writes'),
  },
  {
    name: 'a removal of nothing is acknowledged',
    file: 'src/store/sql/load-result.ts',
    text: "return { kind: 'no such record' };",
    replacement: 'break;',
    foundBy: brokenOn('PostgreSQL', 'acknowledged writes are seen'),
  },
  {
    name: 'a total is that of another revision',
    file: 'src/store/sql/list-statements.ts',
    text: 'return sql`ledger.rows`;',
    replacement: `return known === undefined ? sql\`ledger.rows\` : sql\`\${bind('integer', known.version.rows)}\`;`,
    foundBy: brokenOn('PostgreSQL', 'list'),
  },
  {
    name: 'a create that is sent again is made again',
    file: 'src/store/sql/record-statements.ts',
    text: 'const keys = keyWrites(account, resource, records, dialect);',
    replacement: 'const keys = keyWrites(account, resource, [], dialect);',
    foundBy: brokenOn('PostgreSQL', 'idempotency'),
  },
  {
    name: 'the feed skips what has the revision of its cursor',
    file: 'src/store/sql/change-statements.ts',
    text: 'return sql`(revision, id) > (',
    replacement: 'return sql`revision > coalesce(',
    foundBy: brokenOn('PostgreSQL', 'changes'),
  },
  {
    name: 'a copy forgets when it began',
    file: 'src/store/records/change-feed.ts',
    text: 'const begun = cursor?.begun ?? version.revision;',
    replacement: 'const begun = version.revision;',
    foundBy: brokenOn('SQLite', 'changes'),
  },
  {
    name: 'a copy that begins ends too early',
    file: 'src/store/records/change-feed.ts',
    text: 'const more = isCut || position.revision < version.revision;',
    replacement: 'const more = isCut;',
    foundBy: brokenOn('SQLite', 'changes'),
  },
  {
    name: 'the results of writes that share a transaction are mixed up',
    file: 'src/store/engine/batcher.ts',
    text: 'const outcome = outcomes[index] ??',
    replacement: 'const outcome = outcomes[outcomes.length - 1 - index] ??',
    foundBy: brokenOn('SQLite', 'responses'),
  },
];
