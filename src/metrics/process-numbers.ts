/** What this process uses: CPU time, memory and file descriptors. */

import { readdir, readFile } from 'node:fs/promises';
import { type Numbers, single } from './numbers.ts';

export async function processNumbers(): Promise<Numbers> {
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

/** Only Linux tells. */
async function descriptors(): Promise<Numbers> {
  const [open, limits] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
  ]);
  const max = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return {
    ...(open !== undefined && { process_open_fds: single(open.length) }),
    ...(max !== undefined && { process_max_fds: single(Number(max)) }),
  };
}
