/** Samples of processes, combined and printed for Prometheus. */

import { expect, test } from 'vitest';
import { print } from '../../../src/observe/metrics/exposition.ts';
import { combine, labeled, single } from '../../../src/observe/metrics/samples.ts';
import { countersOf } from '../../../src/observe/metrics/service-samples.ts';
import { Histogram } from '../../../src/schedule/histogram.ts';

const histogramOf = (...milliseconds: readonly number[]) => {
  const histogram = new Histogram();
  for (const each of milliseconds) histogram.add(each);
  return histogram.stats;
};

test('labels are escaped, and the buckets of a histogram are cumulative', () => {
  const text = print({
    stockbook_http_problems_total: labeled([['a"b\\c\nd', 3]]),
    stockbook_write_duration_seconds: single(histogramOf(0.5, 0.6, 100, 60_000)),
  });
  expect(text).toContain('# TYPE stockbook_http_problems_total counter\n');
  expect(text).toContain('stockbook_http_problems_total{code="a\\"b\\\\c\\nd"} 3\n');
  const lines = text.split('\n').filter((line) => line.startsWith('stockbook_write_duration_seconds'));
  expect(lines).toEqual([
    ...[0.0005].map((bound) => `stockbook_write_duration_seconds_bucket{le="${bound}"} 1`),
    ...[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05].map(
      (bound) => `stockbook_write_duration_seconds_bucket{le="${bound}"} 2`,
    ),
    ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30].map((bound) => `stockbook_write_duration_seconds_bucket{le="${bound}"} 3`),
    'stockbook_write_duration_seconds_bucket{le="+Inf"} 4',
    expect.stringMatching(/^stockbook_write_duration_seconds_sum 60\.1/),
    'stockbook_write_duration_seconds_count 4',
  ]);
});

test('the numbers of several processes are added up, unless the longest or the earliest counts', () => {
  const samples = (value: number, label: string) => ({
    stockbook_queue_length: labeled([[label, value]]),
    stockbook_event_loop_delay_seconds: labeled([['99', value]]),
    process_start_time_seconds: single(value),
    stockbook_write_duration_seconds: single(histogramOf(value)),
  });
  expect(combine([samples(1, 'a'), samples(2, 'a'), samples(4, 'b')])).toEqual({
    stockbook_queue_length: labeled([
      ['a', 3],
      ['b', 4],
    ]),
    stockbook_event_loop_delay_seconds: labeled([['99', 4]]),
    process_start_time_seconds: single(1),
    stockbook_write_duration_seconds: single(histogramOf(1, 2, 4)),
  });
});

test('of a process that is gone, counters and histograms remain', () => {
  const left = countersOf({
    stockbook_http_rows_total: single(5),
    stockbook_write_duration_seconds: single(histogramOf(1)),
    stockbook_queue_length: labeled([['a', 3]]),
  });
  expect(left).toMatchObject({
    stockbook_http_rows_total: single(5),
    stockbook_write_duration_seconds: single(histogramOf(1)),
  });
  expect(left).not.toHaveProperty('stockbook_queue_length');
});
