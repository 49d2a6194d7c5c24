/** The writes of a history: the calls that belong together, and what is known of the revision that each of them has. */

import { type Call, isWrite, revisionIn, type WriteAsk, type Yes } from '../history.ts';

export interface Write {
  readonly ask: WriteAsk;
  readonly attempts: readonly Call[];
  readonly verdict: 'made' | 'refused' | 'unknown';
  /** It was made after this, and, unless nobody knows, before the end. */
  readonly start: number;
  readonly end: number;
  /** The response that said so first, and was not a repetition of another one. */
  readonly yes: Yes | undefined;
}

/** A response that has a record as it was written by a revision. */
export interface Sighting {
  readonly revision: number;
  readonly name: unknown;
}

export function writesOf(calls: readonly Call[]): readonly Write[] {
  const attempts = new Map<number, Call[]>();
  for (const call of calls) {
    if (!isWrite(call.ask)) continue;
    const { write } = call.ask;
    attempts.set(write, [...(attempts.get(write) ?? []), call]);
  }
  return [...attempts.values()].map(writeOf);
}

function writeOf(attempts: readonly Call[]): Write {
  const [first] = attempts;
  if (first === undefined || !isWrite(first.ask)) throw new Error('a write has an attempt');
  const { ask } = first;
  const agreed = attempts.filter(({ outcome }) => outcome.is === 'yes').toSorted((a, b) => a.end - b.end);
  const original = agreed.find(({ outcome }) => outcome.is === 'yes' && outcome.isReplayed !== true);
  const yes = (original ?? agreed[0])?.outcome;
  const isRefused = attempts.every(({ outcome }) => outcome.is === 'no');
  return {
    ask,
    attempts,
    verdict: agreed.length > 0 ? 'made' : isRefused ? 'refused' : 'unknown',
    start: original?.start ?? first.start,
    end: agreed[0]?.end ?? Number.POSITIVE_INFINITY,
    yes: yes?.is === 'yes' ? yes : undefined,
  };
}

/** The names that a write gives. Most of them are its own, so that a record shows who wrote it last. */
export function namesIn(ask: WriteAsk): readonly unknown[] {
  if (ask.kind === 'remove') return [];
  if (ask.kind === 'import') return ask.rows.flatMap(({ name }) => name ?? []);
  return [ask.kind === 'create' ? ask.name : ask.values['name']];
}

/** The revision that the response to a write names. */
export function revisionNamedBy({ ask, yes }: Write): number | undefined {
  if (yes === undefined) return undefined;
  if (ask.kind === 'import') return changesNothing(yes) ? undefined : Object(yes.body).data.revision;
  return ask.kind === 'patch' && yes.isReplayed !== true && yes.tag !== undefined ? revisionIn(yes.tag) : undefined;
}

/** Whether an import has found everything as it was to be. */
export function changesNothing({ body }: Yes): boolean {
  const { created, updated, removed } = Object(body).data;
  return created + updated + removed === 0;
}

/** Where records were seen together with the revision that wrote them. */
export function sightingsIn(calls: readonly Call[]): readonly Sighting[] {
  return calls.flatMap(({ ask, outcome }) => {
    if (outcome.is !== 'yes' || outcome.status !== 200 || outcome.tag === undefined) return [];
    if (ask.kind !== 'get' && ask.kind !== 'patch') return [];
    return [{ revision: revisionIn(outcome.tag), name: Object(outcome.body).data.name }];
  });
}
