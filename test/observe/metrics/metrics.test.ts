/** Every metric has the number of the part that it is about. */

import { afterAll, expect, test } from 'vitest';
import { AdminApp } from '../../../src/observe/admin/admin-app.ts';
import { ownProcess } from '../../../src/observe/admin/processes.ts';
import type { ServiceEvent } from '../../../src/observe/events.ts';
import { eventNames } from '../../../src/observe/log.ts';
import { type MetricName, metricNames } from '../../../src/observe/metrics/metrics.ts';
import { ProcessReporter } from '../../../src/observe/metrics/process-report.ts';
import type { QueueStats } from '../../../src/schedule/fair-queue.ts';
import { Histogram } from '../../../src/schedule/histogram.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { version } from '../../../src/version.ts';
import { completed } from '../../support/completed.ts';
import { TestClock } from '../../support/test-clock.ts';

/** On which durations of so many milliseconds are counted. */
const durations = (...milliseconds: readonly number[]) => {
  const histogram = new Histogram();
  for (const each of milliseconds) histogram.add(each);
  return histogram.stats;
};
const queue = (waiting: number, running: number): QueueStats => ({ waiting, running, waits: durations(1) });

const clock = new TestClock();
const reporter = new ProcessReporter({ events: eventNames, withValues: false }, clock);
afterAll(() => reporter.close());

reporter.use({
  stats: () => ({
    queues: { slow_reads: queue(101, 102) },
    pools: { slow: { max: 103, used: 104, idle: 105, waiting: 106 } },
    writes: durations(2, 3),
    connects: 107,
    index: { hits: 108, misses: 109 },
    held: { requests: queue(0, 0), indexes: 110, bytes: 111, maxBytes: 112 },
    waiters: 113,
    disk: { free: 114, temporaryFree: 115, reserve: 116 },
    logBytes: 117,
  }),
});
const budget = new CacheBudget(118);
budget.lookupsOf('sessions').hits = 119;
budget.lookupsOf('sessions').misses = 120;
reporter.serve({
  budget,
  service: {
    stats: () => ({
      queues: { long_queries: queue(121, 122), computations: queue(123, 124) },
      exports: 125,
      imports: 126,
    }),
  },
  server: {
    stats: () => ({ connections: { open: 130, busy: 127, refused: 128 }, sending: 129, unsentBytes: 131 }),
  },
});
const events: readonly ServiceEvent[] = [
  completed({ bytes: 1_000, rows: 30, latency: 4 }),
  completed({ bytes: 500, rows: 15, latency: 4, status: 404, problem: 'record_not_found' }),
  { kind: 'worker exited', worker: 1, cause: 'SIGKILL' },
];
for (const event of events) reporter.listener(event);

const SECONDS = Date.parse('2026-03-01T12:00:00.000Z') / 1_000;
const at = new Date(SECONDS * 1_000).toISOString();
const app = new AdminApp({
  processes: ownProcess(reporter, { checkReadiness: async () => ['worker node 1', 'worker node 2'] }),
  accounts: {
    overview: async () => new Map(),
    storedTotal: async () => ({ records: 132, bytes: 133, fullest: [['acme', 0.75]] }),
  },
  imports: {
    latestSources: async () => [{ account: 'acme', name: 'erp', savedAt: at, checkedAt: at, isFailing: true }],
  },
  engine: 'sqlite',
  emit: () => {},
  audit: {
    async *entries() {
      yield [
        { id: 1, at, actor: 'root', origin: 'command line', action: 'backup written', account: null, details: '{}' },
      ];
    },
  },
});

const ANY = expect.stringMatching(/^\d+(?:\.\d+)?(?:e[-+]?\d+)?$/);
const PRODUCTS = '/api/v1/inventory/product';

/** A series of each metric, and its value. */
const expected: Readonly<Record<MetricName, readonly [series: string, value: unknown]>> = {
  stockbook_build_info: [`{version="${version()}",node="${process.versions.node}",engine="sqlite"}`, '1'],
  stockbook_workers: ['', '1'],
  stockbook_workers_unresponsive: ['', '0'],
  stockbook_ready: ['', '1'],
  stockbook_database_parts_unreachable: ['', '2'],
  stockbook_backup_timestamp_seconds: ['', String(SECONDS)],
  stockbook_http_requests_total: [`{route="${PRODUCTS}",method="GET",status_class="4xx"}`, '1'],
  stockbook_http_request_duration_seconds: [`_sum{route="${PRODUCTS}",status_class="2xx"}`, '0.004'],
  stockbook_http_problems_total: ['{code="record_not_found"}', '1'],
  stockbook_http_response_bytes_total: ['', '1500'],
  stockbook_http_rows_total: ['', '45'],
  stockbook_http_connections: ['{state="idle"}', '3'],
  stockbook_http_connections_refused_total: ['', '128'],
  stockbook_http_responses_sending: ['', '129'],
  stockbook_http_unsent_bytes: ['', '131'],
  stockbook_account_requests_per_second: ['{account="acme"}', String(Math.round(2e3 / 15) / 1e3)],
  stockbook_account_errors_per_second: ['{account="acme"}', String(Math.round(1e3 / 15) / 1e3)],
  stockbook_account_rows_per_second: ['{account="acme"}', '3'],
  stockbook_queue_length: ['{queue="slow_reads"}', '101'],
  stockbook_queue_running: ['{queue="computations"}', '124'],
  stockbook_queue_wait_seconds: ['_count{queue="slow_reads"}', '1'],
  stockbook_pool_connections: ['{pool="slow",state="used"}', '104'],
  stockbook_pool_max_connections: ['{pool="slow"}', '103'],
  stockbook_pool_waiting: ['{pool="slow"}', '106'],
  stockbook_write_duration_seconds: ['_sum', '0.005'],
  stockbook_stored_records: ['', '132'],
  stockbook_stored_bytes: ['', '133'],
  stockbook_account_storage_ratio: ['{account="acme"}', '0.75'],
  stockbook_write_ahead_log_bytes: ['', '117'],
  stockbook_disk_free_bytes: ['', '114'],
  stockbook_temporary_disk_free_bytes: ['', '115'],
  stockbook_disk_reserve_bytes: ['', '116'],
  stockbook_database_connects_total: ['', '107'],
  stockbook_cache_bytes: ['', '0'],
  stockbook_cache_max_bytes: ['', '118'],
  stockbook_cache_hits_total: ['{cache="sessions"}', '119'],
  stockbook_cache_misses_total: ['{cache="sessions"}', '120'],
  stockbook_index_bytes: ['', '111'],
  stockbook_index_max_bytes: ['', '112'],
  stockbook_indexes: ['', '110'],
  stockbook_index_hits_total: ['', '108'],
  stockbook_index_misses_total: ['', '109'],
  stockbook_change_waiters: ['', '113'],
  stockbook_exports: ['', '125'],
  stockbook_imports: ['', '126'],
  stockbook_source_saved_timestamp_seconds: ['{account="acme",source="erp"}', String(SECONDS)],
  stockbook_source_checked_timestamp_seconds: ['{account="acme",source="erp"}', String(SECONDS)],
  stockbook_source_failing: ['{account="acme",source="erp"}', '1'],
  stockbook_events_total: ['{event="worker exited"}', '1'],
  stockbook_event_loop_delay_seconds: ['{percentile="99"}', ANY],
  stockbook_event_loop_active_seconds_total: ['', ANY],
  process_cpu_seconds_total: ['', ANY],
  process_resident_memory_bytes: ['', ANY],
  process_open_fds: ['', ANY],
  process_max_fds: ['', ANY],
  process_start_time_seconds: ['', String(Math.round(performance.timeOrigin) / 1_000)],
  nodejs_heap_size_used_bytes: ['', ANY],
  nodejs_heap_size_total_bytes: ['', ANY],
  nodejs_external_memory_bytes: ['', ANY],
};

test('every metric has a value', async () => {
  // The first scrape starts checks whose results the next ones have.
  await app.respond('/metrics');
  const scraped = async () => (await app.respond('/metrics')).body;
  await expect.poll(scraped).toContain('\nstockbook_source_failing{');
  const lines = (await scraped()).split('\n');
  const shown = (series: string) => lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1);
  expect(Object.fromEntries(metricNames.map((name) => [name, shown(name + expected[name][0])]))).toEqual(
    Object.fromEntries(metricNames.map((name) => [name, expected[name][1]])),
  );
});

test('rates are those of the last 15 seconds', async () => {
  const rate = async () => /^stockbook_account_rows_per_second.*$/m.exec((await app.respond('/metrics')).body)?.[0];
  expect(await rate()).toBe('stockbook_account_rows_per_second{account="acme"} 3');
  clock.elapse(60_000);
  expect(await rate()).toBeUndefined();
});
