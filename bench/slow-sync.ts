/** A disk that takes its time: here a sync may cost next to nothing, and what is gained by sharing one would not be seen. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATA } from './engines.ts';
import { Refusal } from './options.ts';
import { giveAll } from './processes.ts';

/** Every process that is started from now on waits so long at each `fsync` and `fdatasync`. Linux, and a C compiler. */
export function slowSyncs(milliseconds: number): void {
  const library = join(DATA, 'slow-sync.so');
  const source = fileURLToPath(new URL('slow-sync.c', import.meta.url));
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    throw new Refusal(`--sync-ms needs a C compiler, called cc: ${error instanceof Error ? error.message : error}`);
  }
  giveAll({ LD_PRELOAD: library, SYNC_MICROSECONDS: String(Math.round(milliseconds * 1_000)) });
}
