/** All metrics, one row each. What is collected, what Prometheus reads and the docs derive from this table. */

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The names of its labels, in the order of their values. */
  readonly labels: readonly string[];
  readonly help: string;
  /** How the values of several processes become one: their sum, unless it says otherwise. */
  readonly combined?: 'maximum' | 'minimum';
}

const metric = (
  type: Metric['type'],
  labels: readonly string[],
  help: string,
  combined?: Metric['combined'],
): Metric => (combined === undefined ? { type, labels, help } : { type, labels, help, combined });

export const metrics = {
  stockbook_build_info: metric(
    'gauge',
    ['version', 'node', 'engine'],
    'always 1; the versions of Stockbook and Node.js, and the kind of database',
    'maximum',
  ),
  stockbook_workers: metric('gauge', [], 'processes that serve requests and have reported their numbers'),
  stockbook_workers_unresponsive: metric('gauge', [], 'processes that serve requests but did not report in time'),
  stockbook_ready: metric(
    'gauge',
    [],
    '1 if requests could be served when that was last checked, otherwise 0; absent until it was checked. Every scrape starts a check for the next one',
  ),
  stockbook_database_parts_unreachable: metric(
    'gauge',
    [],
    'worker nodes of a Citus cluster that could not be reached when stockbook_ready was last checked: the requests of their accounts fail',
  ),
  stockbook_backup_timestamp_seconds: metric(
    'gauge',
    [],
    'when stockbook backup last made a backup, since the epoch; 0 if it never did. Only on SQLite, and from the second scrape on',
  ),

  stockbook_http_requests_total: metric(
    'counter',
    ['route', 'method', 'status_class'],
    'requests that were completed; the status class is 2xx, 3xx, 4xx or 5xx',
  ),
  stockbook_http_request_duration_seconds: metric(
    'histogram',
    ['route', 'status_class'],
    'time from the headers of a request until its response begins, without the time that the client asked to wait for changes',
  ),
  stockbook_http_problems_total: metric('counter', ['code'], 'requests that got an error, by its code'),
  stockbook_http_response_bytes_total: metric('counter', [], 'bytes of response bodies that were sent'),
  stockbook_http_rows_total: metric('counter', [], 'records that were sent'),
  stockbook_http_connections: metric('gauge', ['state'], 'open connections: busy with a request, or idle'),
  stockbook_http_connections_refused_total: metric('counter', [], 'connections refused because of a limit'),
  stockbook_http_responses_sending: metric('gauge', [], 'streams, and responses that clients have not read completely'),
  stockbook_http_unsent_bytes: metric('gauge', [], 'bytes of responses held in memory until clients read them'),

  stockbook_account_requests_per_second: metric(
    'gauge',
    ['account'],
    'request rate of the busiest accounts in the last 15 seconds; the account (other) is all others',
  ),
  stockbook_account_errors_per_second: metric('gauge', ['account'], 'their requests with a status of 400 or above'),
  stockbook_account_rows_per_second: metric('gauge', ['account'], 'records that were sent to them'),

  stockbook_queue_length: metric('gauge', ['queue'], 'jobs that wait'),
  stockbook_queue_running: metric('gauge', ['queue'], 'jobs that run'),
  stockbook_queue_wait_seconds: metric('histogram', ['queue'], 'how long jobs waited before they ran'),

  stockbook_pool_connections: metric('gauge', ['pool', 'state'], 'database connections: used or idle'),
  stockbook_pool_max_connections: metric('gauge', ['pool'], 'maximum number of database connections'),
  stockbook_pool_waiting: metric('gauge', ['pool'], 'tasks that wait for a database connection'),
  stockbook_write_duration_seconds: metric(
    'histogram',
    [],
    'how long writes took until they were durable, including the time that they waited',
  ),
  stockbook_stored_records: metric('gauge', [], 'records of all accounts. From the second scrape on'),
  stockbook_stored_bytes: metric('gauge', [], 'the size of their values'),
  stockbook_account_storage_ratio: metric(
    'gauge',
    ['account'],
    'the share of what they may store that the fullest accounts use: of records or of bytes, whichever is larger',
  ),
  stockbook_write_ahead_log_bytes: metric('gauge', [], "the length of SQLite's write-ahead log", 'maximum'),
  stockbook_disk_free_bytes: metric(
    'gauge',
    [],
    'free bytes of the disk that has the database; SQLite only',
    'minimum',
  ),
  stockbook_temporary_disk_free_bytes: metric(
    'gauge',
    [],
    'the same for the disk that has the temporary files of SQLite, where large imports are until they are written',
    'minimum',
  ),
  stockbook_disk_reserve_bytes: metric(
    'gauge',
    [],
    'if fewer bytes are free, nothing is added, and with fewer on the disk of temporary files no large import is read',
    'maximum',
  ),

  stockbook_database_connects_total: metric(
    'counter',
    [],
    'how often the database was found; on PostgreSQL again after a failover or an outage',
  ),

  stockbook_cache_bytes: metric('gauge', [], 'memory of all caches'),
  stockbook_cache_max_bytes: metric('gauge', [], 'maximum memory of caches (--cache-size)'),
  stockbook_cache_hits_total: metric('counter', ['cache'], 'lookups that found something'),
  stockbook_cache_misses_total: metric('counter', ['cache'], 'lookups that found nothing'),
  stockbook_index_bytes: metric('gauge', [], 'memory of all indexes in memory'),
  stockbook_index_max_bytes: metric('gauge', [], 'maximum memory of indexes (--index-size)'),
  stockbook_indexes: metric('gauge', [], 'indexes in memory that can be asked'),
  stockbook_index_hits_total: metric('counter', [], 'slow lists and aggregates that an index in memory answered'),
  stockbook_index_misses_total: metric('counter', [], 'slow lists and aggregates that the database had to answer'),

  stockbook_change_waiters: metric('gauge', [], 'requests that wait for changes'),
  stockbook_exports: metric('gauge', [], 'streams of lists, digests and aggregates that read the database'),
  stockbook_imports: metric('gauge', [], 'imports over HTTP under way, except small ones'),
  stockbook_source_saved_timestamp_seconds: metric(
    'gauge',
    ['account', 'source'],
    'when an import last saved the position of a source, since the epoch: of the sources that fail and those that were saved or checked last, up to 1,000, and up to 20 of an account. From the second scrape on',
  ),
  stockbook_source_checked_timestamp_seconds: metric(
    'gauge',
    ['account', 'source'],
    'when a connector, such as stockbook mirror, last reported that it has imported everything from a source, since the epoch; only for sources whose connector reports',
  ),
  stockbook_source_failing: metric(
    'gauge',
    ['account', 'source'],
    '1 if the connector of a source last reported an error, otherwise 0',
  ),
  stockbook_events_total: metric('counter', ['event'], 'events, by the name that they have in the log'),

  stockbook_event_loop_delay_seconds: metric(
    'gauge',
    ['percentile'],
    'delay of the event loop in the last 15 seconds; of several processes, the longest',
    'maximum',
  ),
  stockbook_event_loop_active_seconds_total: metric('counter', [], 'time in which event loops were not idle'),

  process_cpu_seconds_total: metric('counter', [], 'user and system CPU time'),
  process_resident_memory_bytes: metric('gauge', [], 'resident memory'),
  process_open_fds: metric('gauge', [], 'open file descriptors; of several processes, the maximum', 'maximum'),
  process_max_fds: metric('gauge', [], 'maximum number of file descriptors that a process may open', 'minimum'),
  process_start_time_seconds: metric('gauge', [], 'when the service was started, since the epoch', 'minimum'),
  nodejs_heap_size_used_bytes: metric('gauge', [], 'memory that JavaScript uses'),
  nodejs_heap_size_total_bytes: metric('gauge', [], 'memory that is allocated for JavaScript'),
  nodejs_external_memory_bytes: metric('gauge', [], 'memory outside of the heap of JavaScript, such as buffers'),
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

export const metricNames = Object.keys(metrics).filter((name): name is MetricName => Object.hasOwn(metrics, name));
