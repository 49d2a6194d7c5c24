/** Who uses the service now, for `stockbook top`. */

import { quantile } from '../../schedule/histogram.ts';
import type { Accounts, StorageUse } from '../../store/store.ts';
import { version } from '../../version.ts';
import { combineTallies, isRest, type NamedTallies, type Tally, WINDOW } from '../metrics/recent-tallies.ts';
import { perSecond } from '../metrics/service-samples.ts';
import type { SlowFilter } from '../metrics/slow-filters.ts';
import type { Reports } from './processes.ts';

/** The maximum number of accounts, keys and filters that are shown. */
const MAX_SHOWN = 50;

export interface Status {
  readonly version: string;
  /** How long it has been running, in seconds. */
  readonly uptime: number;
  /** The time to which rates refer, in seconds. */
  readonly window: number;
  readonly workers: { readonly responsive: number; readonly unresponsive: number };
  /** All requests that had a key, or needed one. */
  readonly total: Use;
  /** Requests that were refused because they had no valid key. The most frequent first. */
  readonly refused: readonly RefusedStatus[];
  /** The busiest first. */
  readonly accounts: readonly AccountStatus[];
  readonly keys: readonly KeyStatus[];
  /** The slowest first. */
  readonly filters: readonly SlowFilter[];
}

export interface Use {
  readonly requestsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly rowsPerSecond: number;
  /** In milliseconds: 95 % of the requests did not take longer. */
  readonly p95: number;
}

export interface AccountStatus extends Use {
  readonly account: string;
  /** By the name of the resource. */
  readonly revisions: Readonly<Record<string, number>>;
  /** What it stores, and what it may store; 0 means unlimited. Undefined if the database is unavailable. */
  readonly storage: StorageUse | undefined;
}

export interface RefusedStatus extends Use {
  /** The code of the error. */
  readonly problem: string;
  readonly status: number;
}

export interface KeyStatus extends Use {
  readonly account: string;
  /** Its public id. */
  readonly key: string;
}

type Overview = Awaited<ReturnType<Accounts['overview']>>;

export async function statusOf(
  { report, unresponsive }: Reports,
  accounts: Pick<Accounts, 'overview'>,
): Promise<Status> {
  const shown = named(report.accounts);
  const all = combineTallies([report.accounts, report.refused], 0);
  // While the database is unavailable, everything else is all the more useful.
  const overview = await accounts.overview(shown.map(([name]) => name)).catch((): Overview => new Map());
  const [workers] = report.samples.stockbook_workers ?? [];
  return {
    version: version(),
    uptime: Math.round(performance.now() / 1_000),
    window: WINDOW / 1_000,
    workers: { responsive: typeof workers?.value === 'number' ? workers.value : 0, unresponsive },
    total: ratesOf(all[0]?.[1] ?? NOTHING),
    refused: named(report.refused).map(([name, tally]) => {
      const [status, problem = ''] = name.split(' ');
      return { problem, status: Number(status), ...ratesOf(tally) };
    }),
    accounts: shown.map(([account, tally]) => ({
      account,
      ...ratesOf(tally),
      revisions: Object.fromEntries(overview.get(account)?.revisions ?? []),
      storage: overview.get(account)?.storage,
    })),
    keys: named(report.keys).map(([name, tally]) => {
      const [account = '', key = ''] = name.split(' ');
      return { account, key, ...ratesOf(tally) };
    }),
    filters: report.filters.slice(0, MAX_SHOWN),
  };
}

const NOTHING: Tally = { requests: 0, errors: 0, rows: 0, durations: { counts: [], sum: 0, max: 0 } };

function named(tallies: NamedTallies): NamedTallies {
  return tallies.filter(([name]) => !isRest(name)).slice(0, MAX_SHOWN);
}

function ratesOf({ requests, errors, rows, durations }: Tally): Use {
  return {
    requestsPerSecond: perSecond(requests),
    errorsPerSecond: perSecond(errors),
    rowsPerSecond: perSecond(rows),
    p95: Math.round(quantile(durations, 0.95) * 1e6) / 1e3,
  };
}
