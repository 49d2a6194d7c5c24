/** The metrics of the whole service, from the reports of its processes. */

import type { SourceOfAccount, StoredTotal } from '../../store/store.ts';
import { version } from '../../version.ts';
import { type Metric, metricNames, metrics } from './metrics.ts';
import type { ProcessReport } from './process-report.ts';
import { combineTallies, type Tally, WINDOW } from './recent-tallies.ts';
import { labeled, type Samples, single } from './samples.ts';

/** The maximum number of accounts that are named. */
const MAX_ACCOUNTS = 20;

/** What the reports of its processes do not say. */
export interface ServiceFacts {
  readonly engine: string;
  /** How many processes did not report in time. */
  readonly unresponsive: number;
  /** Whether the service was ready when that was last checked; undefined if it was not checked yet. */
  readonly isReady: boolean | undefined;
  /** How many parts of the database could not be reached then. */
  readonly unreachable: number;
  /** In seconds since the epoch; undefined if it is not known. */
  readonly lastBackup: number | undefined;
  /** Undefined if it is not known yet. */
  readonly stored: StoredTotal | undefined;
  /** Undefined if it is not known yet. */
  readonly sources: readonly SourceOfAccount[] | undefined;
}

export function serviceSamples(
  { samples, accounts }: ProcessReport,
  { engine, unresponsive, isReady, unreachable, lastBackup, stored, sources }: ServiceFacts,
): Samples {
  const busiest = combineTallies([accounts], MAX_ACCOUNTS);
  const rates = (value: (tally: Tally) => number) =>
    labeled(busiest.map(([name, tally]) => [name, perSecond(value(tally))]));
  return {
    ...samples,
    stockbook_build_info: [{ labels: [version(), process.versions.node, engine], value: 1 }],
    stockbook_workers_unresponsive: single(unresponsive),
    ...(isReady !== undefined && {
      stockbook_ready: single(isReady ? 1 : 0),
      stockbook_database_parts_unreachable: single(unreachable),
    }),
    ...(lastBackup !== undefined && { stockbook_backup_timestamp_seconds: single(lastBackup) }),
    ...(stored !== undefined && {
      stockbook_stored_records: single(stored.records),
      stockbook_stored_bytes: single(stored.bytes),
      stockbook_account_storage_ratio: labeled(stored.fullest.map(([name, share]) => [name, share])),
    }),
    ...(sources !== undefined && {
      stockbook_source_saved_timestamp_seconds: sources.map(({ account, name, savedAt }) => ({
        labels: [account, name],
        value: Date.parse(savedAt) / 1_000,
      })),
      stockbook_source_checked_timestamp_seconds: sources.flatMap(({ account, name, checkedAt }) =>
        checkedAt === null ? [] : [{ labels: [account, name], value: Date.parse(checkedAt) / 1_000 }],
      ),
      stockbook_source_failing: sources.map(({ account, name, isFailing }) => ({
        labels: [account, name],
        value: isFailing ? 1 : 0,
      })),
    }),
    stockbook_account_requests_per_second: rates(({ requests }) => requests),
    stockbook_account_errors_per_second: rates(({ errors }) => errors),
    stockbook_account_rows_per_second: rates(({ rows }) => rows),
  };
}

/** The rate of what was counted in the window. */
export function perSecond(count: number): number {
  return Math.round((count / WINDOW) * 1e6) / 1e3;
}

/** What only ever grows, of a process that is gone or does not report: without it, the sum of all would shrink. */
export function countersOf(samples: Samples): Samples {
  const isCounter = (name: keyof Samples) => {
    const { type }: Metric = metrics[name];
    return type !== 'gauge';
  };
  return Object.fromEntries(metricNames.filter(isCounter).map((name) => [name, samples[name] ?? []]));
}
