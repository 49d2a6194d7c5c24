/** The file descriptors of this process, which are known only on Linux. */

import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';

/** How many it may have; undefined if that is unlimited, or unknown. Node raises the limit (`ulimit -n`) as far as it may (`ulimit -Hn`). */
export function maxDescriptors(): number | undefined {
  try {
    const max = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return max === undefined ? undefined : Number(max);
  } catch {
    return undefined;
  }
}

export async function openDescriptors(): Promise<number | undefined> {
  const open = await readdir('/proc/self/fd').catch(() => undefined);
  return open?.length;
}
