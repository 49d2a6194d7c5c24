/** How single calls fail. */

import { inject } from 'vitest';
import type { CallFault } from '../../support/disk-calls.ts';
import type { Random } from '../../support/random.ts';

export interface Fault {
  readonly name: string;
  readonly kind: CallFault;
  /** How many calls fail, one after the other. */
  readonly calls: number;
}

/** A signal does not interrupt calls for ever, and SQLite repeats some of them until they are not interrupted. */
const INTERRUPTIONS = 3;

export const FAULTS: readonly Fault[] = [
  ...(['EIO', 'ENOSPC', 'EINTR', 'short write'] as const).map((kind) => ({ name: `${kind} once`, kind, calls: 1 })),
  ...(['EIO', 'ENOSPC', 'short write'] as const).map((kind) => ({
    name: `${kind} from then on`,
    kind,
    calls: Number.MAX_SAFE_INTEGER,
  })),
  { name: `EINTR ${INTERRUPTIONS} times`, kind: 'EINTR', calls: INTERRUPTIONS },
];

/** In the gate, so many of them, chosen at random, for what takes long. */
const FEW = 3;

export function faultsOfSlowCalls(random: Random): readonly Fault[] {
  return inject('isExhaustive') ? FAULTS : random.sample(FAULTS, FEW);
}

/** Says in which case something went wrong. */
export async function inCase<Result>({ name }: Fault, n: number, body: Promise<Result>): Promise<Result> {
  try {
    return await body;
  } catch (error) {
    throw new Error(`${name}, at call ${n}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Counts calls that failed, by how. */
export class FaultCounts {
  readonly counts: Record<string, number> = {};

  add({ kind }: Fault, failed: number): void {
    if (failed > 0) this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}
