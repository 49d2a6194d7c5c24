/** Emits an event when a process has run out of file descriptors, which nothing else would report: connections are then closed before the process sees them. */

import { open } from 'node:fs/promises';
import type { Emit } from '../observe/events.ts';
import { type CancelTimer, type Clock, systemClock } from '../schedule/clock.ts';

/** How often it is checked, in milliseconds. */
const INTERVAL = 1_000;

/** There is at most one event in this time, in milliseconds. */
const REPORT_INTERVAL = 60_000;

/** The process and the whole system have a limit each. */
const EXHAUSTED = ['EMFILE', 'ENFILE'];

/** Returns a function that ends it. */
export function watchDescriptors(emit: Emit, clock: Clock = systemClock): CancelTimer {
  let lastReport = Number.NEGATIVE_INFINITY;
  const check = async () => {
    const error = await openAny();
    if (error === undefined || clock.monotonic() - lastReport < REPORT_INTERVAL) return;
    lastReport = clock.monotonic();
    emit({ kind: 'descriptors exhausted', error });
  };
  return clock.every(INTERVAL, () => void check());
}

/** The error if no file can be opened. */
async function openAny(): Promise<unknown> {
  try {
    await (await open(process.execPath)).close();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error && EXHAUSTED.includes(String(error.code)) ? error : undefined;
  }
}
