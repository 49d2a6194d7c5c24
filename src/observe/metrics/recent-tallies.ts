/**
 * What each account, or each key, did in the last seconds. The window slides: of the period before the current one, only the
 * part counts that is not too old.
 */

import { Histogram, type HistogramStats } from '../../schedule/histogram.ts';
import type { RequestCompleted } from '../events.ts';

/** The window in milliseconds. */
export const WINDOW = 15_000;

/** The maximum number of names in a period. Others are counted together. */
const MAX_NAMES = 1_000;

/** The name of those that are counted together. No account has it: names of accounts have no parentheses. */
const REST = '(other)';

export interface Tally {
  readonly requests: number;
  /** Requests with a status of 400 or above. */
  readonly errors: number;
  readonly rows: number;
  readonly durations: HistogramStats;
}

export class RecentTallies {
  #began: number;
  #current = new Map<string, MutableTally>();
  #previous = new Map<string, MutableTally>();

  /** All times are on a monotonic clock, in milliseconds. */
  constructor(now: number) {
    this.#began = now;
  }

  add(name: string, event: RequestCompleted, now: number): void {
    if (now - this.#began >= WINDOW) this.#rotate(now);
    const tally = this.#current.get(name) ?? this.#newTallyOf(name);
    tally.requests += 1;
    if (event.status >= 400) tally.errors += 1;
    tally.rows += event.rows ?? 0;
    tally.durations.add(event.latency);
  }

  /** The busiest by name, and one tally for all others, if there are any, at the end. */
  busiest(max: number, now: number): NamedTallies {
    this.#rotate(now);
    const share = 1 - (now - this.#began) / WINDOW;
    return combineWeighted(
      [
        [this.#current, 1],
        [this.#previous, share],
      ],
      max,
    );
  }

  #newTallyOf(name: string): MutableTally {
    const counted = this.#current.size < MAX_NAMES ? name : REST;
    const tally = this.#current.get(counted) ?? newTally();
    this.#current.set(counted, tally);
    return tally;
  }

  #rotate(now: number): void {
    const periods = Math.floor((now - this.#began) / WINDOW);
    if (periods === 0) return;
    this.#previous = periods === 1 ? this.#current : new Map();
    this.#current = new Map();
    this.#began += periods * WINDOW;
  }
}

export type NamedTallies = readonly (readonly [name: string, tally: Tally])[];

/** The busiest of several processes. */
export function combineTallies(all: readonly NamedTallies[], max: number): NamedTallies {
  return combineWeighted(
    all.map((tallies) => [tallies, 1]),
    max,
  );
}

export function isRest(name: string): boolean {
  return name === REST;
}

/** Each source has a weight. Those that are not among the busiest are only added up. */
function combineWeighted(
  sources: readonly (readonly [tallies: Iterable<readonly [name: string, tally: Tally]>, weight: number])[],
  max: number,
): NamedTallies {
  const requests = new Map<string, number>();
  for (const [tallies, weight] of sources)
    for (const [name, tally] of tallies)
      if (!isRest(name)) requests.set(name, (requests.get(name) ?? 0) + tally.requests * weight);
  const busy = [...requests].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a);
  const named = new Map(busy.slice(0, max).map(([name]) => [name, newTally()]));
  const rest = newTally();
  for (const [tallies, weight] of sources)
    for (const [name, tally] of tallies) add(named.get(name) ?? rest, tally, weight);
  return rest.requests > 0 ? [...named, [REST, rest]] : [...named];
}

interface MutableTally {
  requests: number;
  errors: number;
  rows: number;
  readonly durations: Histogram;
}

function newTally(): MutableTally {
  return { requests: 0, errors: 0, rows: 0, durations: new Histogram() };
}

function add(sum: MutableTally, { requests, errors, rows, durations }: Tally, weight: number): void {
  sum.requests += requests * weight;
  sum.errors += errors * weight;
  sum.rows += rows * weight;
  sum.durations.addAll(durations, weight);
}
