/** What this process uses: CPU time, memory and file descriptors. */

import { maxDescriptors, openDescriptors } from './descriptors.ts';
import { type Samples, single } from './samples.ts';

export async function processSamples(): Promise<Samples> {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  return {
    process_cpu_seconds_total: single((user + system) / 1e6),
    process_resident_memory_bytes: single(rss),
    process_start_time_seconds: single(Math.round(performance.timeOrigin) / 1_000),
    nodejs_heap_size_used_bytes: single(heapUsed),
    nodejs_heap_size_total_bytes: single(heapTotal),
    nodejs_external_memory_bytes: single(external),
    ...(await descriptors()),
  };
}

async function descriptors(): Promise<Samples> {
  const [open, max] = [await openDescriptors(), maxDescriptors()];
  return {
    ...(open !== undefined && { process_open_fds: single(open) }),
    ...(max !== undefined && { process_max_fds: single(max) }),
  };
}
