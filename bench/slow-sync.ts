/** Simulates a slower disk. If a sync costs next to nothing, sharing one among several writes shows no benefit. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATA } from './engines.ts';
import { BenchError } from './options.ts';
import { setEnvironment } from './processes.ts';

/** Delays every `fsync` and `fdatasync` of the processes started from here on. Requires Linux and a C compiler. */
export function slowSyncs(milliseconds: number): void {
  const library = join(DATA, 'slow-sync.so');
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url));
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    throw new BenchError(`--sync-ms requires a C compiler (cc): ${error instanceof Error ? error.message : error}`);
  }
  setEnvironment({ LD_PRELOAD: library, SYNC_MICROSECONDS: String(Math.round(milliseconds * 1_000)) });
}
