/** Faults of the audit trail. */

import type { TestDatabase, TestEngine } from './engines.ts';

const STATEMENTS = {
  SQLite: {
    refuse: `CREATE TRIGGER refused BEFORE INSERT ON audit_entry BEGIN SELECT raise(ABORT, 'refused'); END`,
    accept: 'DROP TRIGGER refused',
  },
  PostgreSQL: {
    refuse: 'ALTER TABLE audit_entry ADD CONSTRAINT refused CHECK (false) NOT VALID',
    accept: 'ALTER TABLE audit_entry DROP CONSTRAINT refused',
  },
} as const;

/** No entry can be written until the returned function is called. */
export async function refuseEntries(database: TestDatabase, engine: TestEngine['name']): Promise<() => Promise<void>> {
  const { refuse, accept } = STATEMENTS[engine];
  await database.execute(refuse);
  return () => database.execute(accept);
}
