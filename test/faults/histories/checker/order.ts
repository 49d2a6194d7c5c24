/**
 * Looks for an order of all writes in which everything that was answered is right: one write for each revision, none before it was asked for,
 * none after others that started when it had ended. Most responses name their revision. For those that do not, such as a removal, and for writes
 * of which nobody knows, one that is possible is taken. If that turns out to be wrong later, another one is tried, and as little else as possible
 * is changed.
 */

import type { Resource } from '../../../../src/catalog/resource.ts';
import type { Call } from '../history.ts';
import { Evidence } from './evidence.ts';
import { Learned } from './learned.ts';
import { Progress } from './progress.ts';
import type { Violation } from './violation.ts';
import type { Write } from './writes.ts';

/** How many of the last choices can be changed, how many of them at once, and how often that is tried. */
const MAX_CHOICES = 100;
const MAX_CHANGES = 3;
const MAX_ATTEMPTS = 500;

export interface Ordered {
  readonly violations: readonly Violation[];
  /** How many revisions there are. */
  readonly revisions: number;
}

export function orderOf(resource: Resource, calls: readonly Call[]): Ordered {
  const evidence = new Evidence(resource, calls);
  const violations = evidence.violations.length > 0 ? evidence.violations : findOrder(evidence);
  return { violations, revisions: evidence.last };
}

/** A revision for which several writes are possible. */
interface Choice {
  readonly before: Progress;
  readonly candidates: readonly Write[];
}

/** An order, as far as it has got. */
interface Path {
  readonly progress: Progress;
  readonly choices: Choice[];
  /** By revision, of those for which there was a choice. */
  readonly taken: Map<number, Write>;
  violation: Violation | undefined;
}

function findOrder(evidence: Evidence): readonly Violation[] {
  const progress = new Progress(evidence, new Learned());
  let path: Path = { progress, choices: [], taken: new Map(), violation: progress.check() };
  walk(path, evidence.last, evidence.last);
  while (path.violation !== undefined) {
    const repaired = new Repair(path, evidence.last).find();
    if (repaired === undefined) return [path.violation];
    path = repaired;
    walk(path, evidence.last, evidence.last);
  }
  return [];
}

/** Goes on to a revision, or to where something is wrong. */
function walk(path: Path, until: number, last: number): void {
  const { progress, choices, taken } = path;
  while (path.violation === undefined && progress.revision < until) {
    const next = progress.revision + 1;
    const candidates = progress.candidates();
    const write = candidates.find((candidate) => candidate === taken.get(next)) ?? candidates[0];
    if (candidates.length > 1) choose(path, candidates, write);
    path.violation = write === undefined ? progress.hole() : progress.advance(write);
  }
  if (choices.length > MAX_CHOICES) choices.splice(0, choices.length - MAX_CHOICES);
  if (path.violation === undefined && progress.revision === last) path.violation = progress.checkEnd();
}

function choose({ progress, choices, taken }: Path, candidates: readonly Write[], write: Write | undefined): void {
  choices.push({ before: progress.copy(), candidates });
  if (write !== undefined) taken.set(progress.revision + 1, write);
}

/** Takes other writes for some of the last revisions, so that less is wrong in the end, or nothing. */
class Repair {
  readonly #path: Path;
  readonly #last: number;
  #attempts = 0;

  constructor(path: Path, last: number) {
    this.#path = path;
    this.#last = last;
  }

  find(): Path | undefined {
    for (let changes = 1; changes <= MAX_CHANGES; changes += 1) {
      const found = this.#change(this.#path, 0, changes);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Changes so many choices, none of them before this revision. */
  #change(path: Path, from: number, changes: number): Path | undefined {
    const { ids = [] } = path.violation ?? {};
    const latest = path.choices.filter(({ before }) => before.revision >= from).toReversed();
    const isConcerned = ({ candidates }: Choice) => candidates.some((write) => concerns(write, ids));
    for (const choice of [...latest.filter(isConcerned), ...latest.filter((each) => !isConcerned(each))]) {
      const at = choice.before.revision + 1;
      for (const candidate of choice.candidates) {
        if (candidate === path.taken.get(at)) continue;
        this.#attempts += 1;
        if (this.#attempts > MAX_ATTEMPTS) return undefined;
        const other = changed(path, choice, candidate);
        walk(other, this.#path.progress.revision, this.#last);
        if (isBetter(other, this.#path)) return other;
        const nested = changes > 1 ? this.#change(other, at, changes - 1) : undefined;
        if (nested !== undefined) return nested;
      }
    }
    return undefined;
  }
}

/** With another write at a choice. What comes after it has to be found again. */
function changed({ choices, taken }: Path, choice: Choice, write: Write): Path {
  const kept = choices.slice(0, choices.indexOf(choice));
  const at = choice.before.revision + 1;
  return {
    progress: choice.before.copy(),
    choices: [...kept, choice],
    taken: new Map(taken).set(at, write),
    violation: undefined,
  };
}

/** Whether nothing is wrong where something was, or it is about fewer records. */
function isBetter({ progress, violation }: Path, before: Path): boolean {
  if (violation === undefined) return true;
  if (progress.revision < before.progress.revision) return false;
  const [ids, others] = [violation.ids ?? [], before.violation?.ids ?? []];
  return violation.rule === before.violation?.rule && ids.length > 0 && ids.length < others.length;
}

function concerns({ ask }: Write, ids: readonly number[]): boolean {
  if (ask.kind === 'import') return ask.rows.some(({ id }) => ids.includes(Number(id)));
  return ask.kind !== 'create' && ids.includes(ask.id);
}
