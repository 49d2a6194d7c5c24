/** The filters whose requests took the longest in the last minute. */

import { type Clock, systemClock } from '../../schedule/clock.ts';
import type { RequestCompleted } from '../events.ts';

/** In milliseconds: a request that took less is not slow, and its filter is not printed. */
const SLOW = 5;

/** How long a filter is shown after its last slow request, in milliseconds. */
const LIFETIME = 60_000;

/** The maximum number of filters. A new one replaces the one that took the least. */
const MAX_FILTERS = 50;

/** The maximum number of characters of a filter. */
const MAX_LENGTH = 200;

export interface SlowFilter {
  readonly account: string;
  readonly route: string;
  readonly filter: string;
  readonly requests: number;
  /** In milliseconds. */
  readonly slowest: number;
  /** In milliseconds since the epoch. */
  readonly last: number;
}

export class SlowFilters {
  readonly #withValues: boolean;
  readonly #clock: Clock;
  readonly #filters = new Map<string, SlowFilter>();

  /** Values may be confidential. */
  constructor(withValues: boolean, clock: Clock = systemClock) {
    this.#withValues = withValues;
    this.#clock = clock;
  }

  add(event: RequestCompleted): void {
    const { account, route, latency } = event;
    if (latency < SLOW || account === undefined) return;
    const filter = (this.#withValues ? event.fullFilter : event.filter)?.slice(0, MAX_LENGTH);
    if (filter === undefined) return;
    const key = keyOf({ account, route, filter });
    const known = this.#filters.get(key);
    if (known === undefined && !this.#makeRoom(latency)) return;
    const slowest = Math.max(latency, known?.slowest ?? 0);
    this.#filters.set(key, {
      account,
      route,
      filter,
      requests: (known?.requests ?? 0) + 1,
      slowest,
      last: this.#clock.wall(),
    });
  }

  /** The slowest first. */
  get stats(): readonly SlowFilter[] {
    this.#forget();
    return [...this.#filters.values()].toSorted((a, b) => b.slowest - a.slowest);
  }

  /** Whether there is room for a filter that took this long. */
  #makeRoom(latency: number): boolean {
    if (this.#filters.size < MAX_FILTERS) return true;
    this.#forget();
    if (this.#filters.size < MAX_FILTERS) return true;
    let least: SlowFilter | undefined;
    for (const filter of this.#filters.values())
      if (least === undefined || filter.slowest < least.slowest) least = filter;
    if (least === undefined || least.slowest >= latency) return false;
    return this.#filters.delete(keyOf(least));
  }

  #forget(): void {
    const oldest = this.#clock.wall() - LIFETIME;
    for (const [key, { last }] of this.#filters) if (last < oldest) this.#filters.delete(key);
  }
}

/** Those of several processes. */
export function combineFilters(all: readonly (readonly SlowFilter[])[]): readonly SlowFilter[] {
  const combined = new Map<string, SlowFilter>();
  for (const filter of all.flat()) {
    const known = combined.get(keyOf(filter));
    combined.set(keyOf(filter), {
      ...filter,
      requests: filter.requests + (known?.requests ?? 0),
      slowest: Math.max(filter.slowest, known?.slowest ?? 0),
      last: Math.max(filter.last, known?.last ?? 0),
    });
  }
  return [...combined.values()].toSorted((a, b) => b.slowest - a.slowest);
}

function keyOf({ account, route, filter }: Pick<SlowFilter, 'account' | 'route' | 'filter'>): string {
  return `${account}\n${route}\n${filter}`;
}
