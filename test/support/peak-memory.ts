/** The most memory that a process of ours had at once, read from outside while it runs. */

import { readFileSync } from 'node:fs';
import type { Finished, Running } from './program.ts';

/** In bytes; nothing where the system does not tell, which only Linux does. */
export async function peakMemory({ child, finished }: Running): Promise<{ peak: number | undefined } & Finished> {
  let peak: number | undefined;
  const timer = setInterval(() => {
    try {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      if (kibibytes !== undefined) peak = Number(kibibytes) * 1024;
    } catch {
      // It has ended, or there is no such folder here.
    }
  }, 20);
  const result = await finished;
  clearInterval(timer);
  return { peak, ...result };
}
