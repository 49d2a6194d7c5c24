/** What one process has to report: its metrics, and who used it lately. Processes send it to each other as JSON. */

import type { ServiceStats } from '../../handlers/service.ts';
import type { HttpStats } from '../../http/server.ts';
import { type ProblemCode, registry } from '../../problem/registry.ts';
import { type Clock, systemClock } from '../../schedule/clock.ts';
import type { CacheBudget } from '../../store/state/cache.ts';
import type { Store } from '../../store/store.ts';
import type { Listener, ServiceEvent } from '../events.ts';
import { EventLoop } from './event-loop.ts';
import { processSamples } from './process-samples.ts';
import { combineTallies, type NamedTallies, RecentTallies } from './recent-tallies.ts';
import { RequestCounts } from './request-counts.ts';
import { combine, labeled, type Samples, single } from './samples.ts';
import { combineFilters, type SlowFilter, SlowFilters } from './slow-filters.ts';

/** The maximum number of accounts and keys that a process reports one by one. */
const MAX_REPORTED = 100;

/** The maximum number of names of keys that are remembered. */
const MAX_KEY_NAMES = 5_000;

/** The errors of requests that have no valid key. */
const KEY_PROBLEMS: ReadonlySet<ProblemCode> = new Set([
  'authentication_required',
  'credentials_malformed',
  'key_not_accepted',
  'too_many_failed_attempts',
]);

export interface ProcessReport {
  readonly samples: Samples;
  readonly accounts: NamedTallies;
  /** By `account key`. */
  readonly keys: NamedTallies;
  /** Requests without a valid key, by `status code`. */
  readonly refused: NamedTallies;
  readonly filters: readonly SlowFilter[];
}

/** The parts of a process that serves requests. */
export interface ServingParts {
  readonly budget: CacheBudget;
  readonly service: { stats(): ServiceStats };
  readonly server: { stats(): HttpStats };
}

export interface ReporterOptions {
  /** The events that there are. */
  readonly events: readonly ServiceEvent['kind'][];
  /** Whether to report the values in filters, which may be confidential. */
  readonly withValues: boolean;
}

/** Listens to the events of a process. */
export class ProcessReporter {
  readonly #counts: RequestCounts;
  readonly #clock: Clock;
  readonly #accounts: RecentTallies;
  readonly #keys: RecentTallies;
  readonly #refused: RecentTallies;
  readonly #keyNames = new KeyNames();
  readonly #filters: SlowFilters;
  readonly #eventLoop = new EventLoop();
  #store: Pick<Store, 'stats'> | undefined;
  #serving: ServingParts | undefined;
  #isStopping = false;

  constructor({ events, withValues }: ReporterOptions, clock: Clock = systemClock) {
    this.#counts = new RequestCounts(events);
    this.#clock = clock;
    const now = clock.monotonic();
    this.#accounts = new RecentTallies(now);
    this.#keys = new RecentTallies(now);
    this.#refused = new RecentTallies(now);
    this.#filters = new SlowFilters(withValues, clock);
  }

  readonly listener: Listener = (event: ServiceEvent) => {
    this.#counts.count(event);
    if (event.kind === 'stopping') this.#isStopping = true;
    if (event.kind !== 'request completed') return;
    const now = this.#clock.monotonic();
    if (event.account === undefined) {
      const { problem } = event;
      if (problem !== undefined && KEY_PROBLEMS.has(problem))
        this.#refused.add(`${registry[problem].status} ${problem}`, event, now);
      return;
    }
    this.#accounts.add(event.account, event, now);
    if (event.key !== undefined) this.#keys.add(this.#keyNames.of(event.account, event.key), event, now);
    this.#filters.add(event);
  };

  /** Whether the service has been told to stop. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  get isServing(): boolean {
    return this.#serving !== undefined;
  }

  /** From now on this process uses a store. The primary process does so without serving requests: it holds the indexes of its workers. */
  use(store: Pick<Store, 'stats'>): void {
    this.#store = store;
  }

  /** From now on this process serves requests. */
  serve(parts: ServingParts): void {
    this.#serving = parts;
  }

  async report(): Promise<ProcessReport> {
    const samples = combine([
      this.#counts.stats,
      this.#eventLoop.stats,
      this.#store === undefined ? {} : storeSamples(this.#store.stats()),
      this.#serving === undefined ? {} : servingSamples(this.#serving),
      await processSamples(),
    ]);
    const now = this.#clock.monotonic();
    return {
      samples,
      accounts: this.#accounts.busiest(MAX_REPORTED, now),
      keys: this.#keys.busiest(MAX_REPORTED, now),
      refused: this.#refused.busiest(KEY_PROBLEMS.size, now),
      filters: this.#filters.stats,
    };
  }

  close(): void {
    this.#eventLoop.close();
  }
}

/** Names of keys with their accounts, so that they need not be made for every request. */
class KeyNames {
  readonly #names = new Map<string, string>();

  of(account: string, key: string): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_KEY_NAMES) this.#names.clear();
    const name = `${account} ${key}`;
    this.#names.set(key, name);
    return name;
  }
}

type StoreStats = ReturnType<Store['stats']>;

function storeSamples({ queues, pools, writes, connects, index, held, waiters, disk, logBytes }: StoreStats): Samples {
  const poolEntries = Object.entries(pools);
  return {
    ...queueSamples(queues),
    stockbook_pool_connections: poolEntries.flatMap(([name, { used, idle }]) => [
      { labels: [name, 'used'], value: used },
      { labels: [name, 'idle'], value: idle },
    ]),
    stockbook_pool_max_connections: labeled(poolEntries.map(([name, { max }]) => [name, max])),
    stockbook_pool_waiting: labeled(poolEntries.map(([name, { waiting }]) => [name, waiting])),
    stockbook_write_duration_seconds: single(writes),
    stockbook_database_connects_total: single(connects),
    stockbook_index_hits_total: single(index.hits),
    stockbook_index_misses_total: single(index.misses),
    stockbook_change_waiters: single(waiters),
    ...(held !== undefined && {
      stockbook_index_bytes: single(held.bytes),
      stockbook_index_max_bytes: single(held.maxBytes),
      stockbook_indexes: single(held.indexes),
    }),
    ...(logBytes !== undefined && { stockbook_write_ahead_log_bytes: single(logBytes) }),
    ...(disk !== undefined && {
      stockbook_disk_free_bytes: single(disk.free),
      stockbook_temporary_disk_free_bytes: single(disk.temporaryFree),
      stockbook_disk_reserve_bytes: single(disk.reserve),
    }),
  };
}

function servingSamples({ budget, service, server }: ServingParts): Samples {
  const { queues, exports, imports } = service.stats();
  const { connections, sending, unsentBytes } = server.stats();
  return {
    ...queueSamples(queues),
    stockbook_workers: single(1),
    stockbook_http_connections: labeled([
      ['busy', connections.busy],
      ['idle', connections.open - connections.busy],
    ]),
    stockbook_http_connections_refused_total: single(connections.refused),
    stockbook_http_responses_sending: single(sending),
    stockbook_http_unsent_bytes: single(unsentBytes),
    stockbook_cache_bytes: single(budget.bytes),
    stockbook_cache_max_bytes: single(budget.maxBytes),
    stockbook_cache_hits_total: labeled(Array.from(budget.lookups, ([name, { hits }]) => [name, hits])),
    stockbook_cache_misses_total: labeled(Array.from(budget.lookups, ([name, { misses }]) => [name, misses])),
    stockbook_exports: single(exports),
    stockbook_imports: single(imports),
  };
}

function queueSamples(stats: StoreStats['queues']): Samples {
  const queues = Object.entries(stats);
  return {
    stockbook_queue_length: labeled(queues.map(([name, { waiting }]) => [name, waiting])),
    stockbook_queue_running: labeled(queues.map(([name, { running }]) => [name, running])),
    stockbook_queue_wait_seconds: labeled(queues.map(([name, { waits }]) => [name, waits])),
  };
}

export function combineReports(reports: readonly ProcessReport[]): ProcessReport {
  return {
    samples: combine(reports.map(({ samples }) => samples)),
    accounts: combineTallies(
      reports.map(({ accounts }) => accounts),
      MAX_REPORTED,
    ),
    keys: combineTallies(
      reports.map(({ keys }) => keys),
      MAX_REPORTED,
    ),
    refused: combineTallies(
      reports.map(({ refused }) => refused),
      KEY_PROBLEMS.size,
    ),
    filters: combineFilters(reports.map(({ filters }) => filters)),
  };
}
