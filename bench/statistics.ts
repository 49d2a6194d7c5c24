/** Statistics of latencies. */

import type { LoadStats } from './cases.ts';

/** Latencies are in milliseconds, in the order of the requests. */
export function summarize(latencies: readonly number[], seconds: number, bytes: number): LoadStats {
  const sum = (part: readonly number[]) => part.reduce((total, latency) => total + latency, 0);
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const tenth = Math.ceil(latencies.length / 10);
  return {
    requests: latencies.length,
    seconds,
    bytes,
    rate: latencies.length / seconds,
    mean: sum(latencies) / latencies.length,
    median: quantile(0.5),
    p99: quantile(0.99),
    first: sum(latencies.slice(0, tenth)),
    last: sum(latencies.slice(-tenth)),
  };
}
