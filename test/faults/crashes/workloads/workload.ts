/** What the program does while its disk is logged. */

import type { Serving } from '../../../support/program.ts';
import type { Recording, Write } from '../recording.ts';

export interface Workload {
  /** Completes "a crash while". */
  readonly name: string;
  /** Makes the database before anything is logged. Returns a key of the account. By default, there is an account with a few records. */
  readonly prepare?: (path: string) => Promise<string>;
  /** Of the calls that others look at, this one looks at this share: its states are large. */
  readonly share?: number;
  readonly run: (recording: Recording, key: string) => Promise<void>;
}

/** Sends writes, each after the response to the one before. */
export async function sendEach(
  recording: Recording,
  server: Serving,
  key: string,
  writes: readonly Write[],
): Promise<void> {
  for (const write of writes) await recording.send(server, key, write);
}

/** Sends all of them at once. */
export async function sendTogether(
  recording: Recording,
  server: Serving,
  key: string,
  writes: readonly Write[],
): Promise<void> {
  await Promise.all(writes.map((write) => recording.send(server, key, write)));
}

/** So many numbers, from 1, as something. */
export function times<Item>(count: number, make: (number: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
