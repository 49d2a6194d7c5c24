/** The peak memory of a child process, sampled from outside while it runs. */

import { readFileSync } from 'node:fs';
import type { Finished, Running } from './program.ts';

/** In bytes; undefined on systems other than Linux. */
export async function peakMemory({ child, finished }: Running): Promise<{ peak: number | undefined } & Finished> {
  let peak: number | undefined;
  const timer = setInterval(() => {
    try {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      if (kibibytes !== undefined) peak = Number(kibibytes) * 1024;
    } catch {
      // The process has exited, or this is not Linux.
    }
  }, 20);
  const result = await finished;
  clearInterval(timer);
  return { peak, ...result };
}
