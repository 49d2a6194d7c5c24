/** A store on top of an engine: the same statements for every engine. */

import { SqlAccounts } from './accounts/accounts.ts';
import { SqlAuditTrail } from './accounts/audit-trail.ts';
import { SqlKeys } from './accounts/keys.ts';
import { SqlViews } from './accounts/views.ts';
import type { Actor } from './audit.ts';
import type { CheckedEngine } from './check/check.ts';
import { Readiness } from './check/readiness.ts';
import { runChecks } from './check/run-checks.ts';
import type { ColumnIndexOptions } from './column-index/column-indexes.ts';
import type { IndexHolder } from './column-index/index-holder.ts';
import { SqlFields } from './fields/fields.ts';
import { SqlImports } from './records/imports.ts';
import { SqlRecords } from './records/records.ts';
import type { CacheBudget } from './state/cache.ts';
import { ListState } from './state/list-state.ts';
import { States } from './state/states.ts';
import type { StorageLimits, Store } from './store.ts';
import { VersionChecks } from './versions/version-checks.ts';
import { VersionWatch } from './versions/version-watch.ts';

export interface SqlStoreOptions {
  /** How this process holds indexes in memory, or another process that does. There are none by default. */
  readonly columnIndexes?: ColumnIndexOptions | IndexHolder;
  /** What accounts may store that have no limit of their own; unlimited by default. */
  readonly storageLimits?: StorageLimits;
}

const NO_COLUMN_INDEXES = { maxBytes: 0 };
const UNLIMITED = { records: 0, bytes: 0 };

export function sqlStore(
  engine: CheckedEngine,
  actor: Actor,
  budget: CacheBudget,
  { columnIndexes = NO_COLUMN_INDEXES, storageLimits = UNLIMITED }: SqlStoreOptions,
): Store {
  const states = new States((account, _, version) => new ListState(account, version, budget));
  const versions = new VersionChecks(engine, budget);
  const audit = new SqlAuditTrail(engine, actor);
  const fields = new SqlFields(engine, audit);
  const readiness = new Readiness(engine, fields);
  const watch = new VersionWatch(engine, versions);
  const records = new SqlRecords(engine, states, audit, fields, { columnIndexes, storageLimits });
  const closeAll = async () => {
    watch.close();
    await records.close();
    await engine.close();
  };
  let closed: Promise<void> | undefined;
  return {
    records,
    accounts: new SqlAccounts(engine, audit, storageLimits),
    keys: new SqlKeys(engine, audit, fields),
    audit,
    fields,
    imports: new SqlImports(engine, audit),
    views: new SqlViews(engine),
    indexes: records.indexes,
    version: (account) => versions.current(account),
    changed: (account, resource, version, signal) => watch.changed(account, resource.name, version, signal),
    stopWaiting: () => watch.close(),
    checkReadiness: () => readiness.check(),
    stats() {
      const { queues, ...stats } = engine.stats;
      const own = records.stats;
      return { ...stats, ...own, queues: { ...queues, ...own.queues }, waiters: watch.waiting };
    },
    check: async (options) => runChecks(engine, audit, await fields.catalog(), options),
    beginGeneration: () => engine.beginGeneration(),
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}
