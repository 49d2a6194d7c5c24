/**
 * Between which revisions a write is whose response names none. Reads say so: what has its name is not older than the write, a record
 * that is there has not been removed, and the feed has changes in the order of their revisions, page after page.
 */

import type { ListAsk } from './answers.ts';
import type { ResourceRead } from './reads.ts';
import { namesIn, type Write } from './writes.ts';

export interface Bounds {
  from: number;
  to: number;
  /** Others that are older. */
  readonly after: Set<Write>;
}

export interface Clues {
  readonly writes: readonly Write[];
  /** The writes whose revision is known. */
  readonly known: ReadonlyMap<number, Write>;
  readonly reads: readonly ResourceRead[];
  /** The highest revision that a response had named before a moment. */
  readonly floorAt: (moment: number) => number;
}

export function boundsOf(clues: Clues): ReadonlyMap<Write, Bounds> {
  const bounds = new Map<Write, Bounds>();
  for (const [revision, write] of clues.known) bounds.set(write, { from: revision, to: revision, after: new Set() });
  for (const write of clues.writes) if (!bounds.has(write)) bounds.set(write, boundsInTime(write, clues));
  inOrder(inOrderOfIds(clues.writes), bounds);
  const writers = new Writers(clues.writes, bounds);
  /** By the cursor that leads on from a page of the feed, the last write that is known to be before it. */
  const before = new Map<unknown, Write>();
  for (const { ask, revision, answer } of clues.reads) {
    const records = recordsIn(answer?.body);
    const found = records.map((record) => writers.last(record, revision, ask));
    for (const write of found) atMost(write && bounds.get(write), revision);
    // A stream of changes is not from one snapshot if something was written meanwhile.
    const isSnapshot = (answer?.revision ?? revision) === revision;
    for (const { id, removed } of isSnapshot ? records.map(Object) : [])
      if (removed !== true)
        for (const write of writers.removersAfter(id, revision)) atLeast(bounds.get(write), revision + 1);
    if (ask.kind !== 'changes' || ask.form === 'lines') continue;
    const known = [before.get(ask.since), ...found].filter((write) => write !== undefined);
    inOrder(known, bounds);
    const last = known.at(-1);
    if (last !== undefined) before.set(Object(answer?.body).meta?.cursor, last);
  }
  return bounds;
}

/** Everything that was named before it started is older, and everything that started after it had ended is not. */
function boundsInTime(write: Write, { reads, known, floorAt }: Clues): Bounds {
  const bounds = { from: floorAt(write.start) + 1, to: Number.POSITIVE_INFINITY, after: new Set<Write>() };
  for (const { call, revision } of reads) if (call.start > write.end) atMost(bounds, revision);
  for (const [revision, other] of known) if (other.start > write.end) atMost(bounds, revision - 1);
  return bounds;
}

/** Creates are in the order of the ids that they were given. */
function inOrderOfIds(writes: readonly Write[]): readonly Write[] {
  const created = writes.flatMap((write) =>
    createdId(write) === undefined ? [] : [{ write, id: createdId(write) ?? 0 }],
  );
  return created.toSorted((a, b) => a.id - b.id).map(({ write }) => write);
}

function createdId({ ask, yes }: Write): number | undefined {
  return ask.kind === 'create' && yes !== undefined ? Number(Object(yes.body).data.id) : undefined;
}

/** Which write a record shows. */
class Writers {
  readonly #bounds: ReadonlyMap<Write, Bounds>;
  readonly #byName: ReadonlyMap<unknown, readonly Write[]>;
  readonly #byId: ReadonlyMap<unknown, readonly Write[]>;
  readonly #removers: ReadonlyMap<unknown, readonly Write[]>;
  readonly #replacing: readonly Write[];

  constructor(writes: readonly Write[], bounds: ReadonlyMap<Write, Bounds>) {
    this.#bounds = bounds;
    this.#byName = grouped(writes, ({ ask }) => namesIn(ask));
    this.#byId = grouped(writes, writtenIds);
    this.#removers = grouped(writes, removedIds);
    this.#replacing = writes.filter(({ ask }) => ask.kind === 'import' && ask.replaces);
  }

  /** The write that a record, or that it is gone, is due to at a revision; undefined if several can be. */
  last(record: unknown, revision: number, ask: ListAsk): Write | undefined {
    const { id, name, removed } = Object(record);
    if (removed !== true) return only(this.#byName.get(name) ?? []);
    if (ask.kind !== 'changes') return undefined;
    const written = (this.#byId.get(id) ?? []).map((write) => this.#boundsOf(write));
    const since = Math.max(0, ...written.map(({ from, to }) => (from === to && to <= revision ? to : 0)));
    const possible = this.#removersOf(id).filter((write) => {
      const { from, to } = this.#boundsOf(write);
      return from <= revision && to > since;
    });
    // With a filter, what does not match any more is reported as removed as well.
    if (possible.length === 1 && ask.filter === undefined) return possible[0];
    // It is the one that has certainly removed the record, unless that was added again after it.
    const certain = only(possible.filter((write) => hasRemoved(write) && this.#boundsOf(write).to <= revision));
    if (certain === undefined) return undefined;
    const { from: removedFrom } = this.#boundsOf(certain);
    return written.some(({ from, to }) => from <= revision && to >= removedFrom) ? undefined : certain;
  }

  /** The writes that name a record to remove it, and have to be later than a revision that has it, since none that adds it again can be older. */
  removersAfter(id: unknown, revision: number): readonly Write[] {
    const adding = (this.#byId.get(id) ?? []).filter(({ ask }) => ask.kind === 'import');
    return adding.some((write) => this.#boundsOf(write).from <= revision) ? [] : (this.#removers.get(id) ?? []);
  }

  #removersOf(id: unknown): readonly Write[] {
    return [...(this.#removers.get(id) ?? []), ...this.#replacing.filter((write) => !writtenIds(write).includes(id))];
  }

  #boundsOf(write: Write): Bounds {
    return this.#bounds.get(write) ?? { from: 1, to: Number.POSITIVE_INFINITY, after: new Set() };
  }
}

function writtenIds(write: Write): readonly unknown[] {
  const { ask } = write;
  if (ask.kind === 'patch') return [ask.id];
  if (ask.kind === 'import')
    return ask.rows.flatMap(({ id, removed }) => (removed === true || id === undefined ? [] : [id]));
  return createdId(write) === undefined ? [] : [createdId(write)];
}

function removedIds({ ask }: Write): readonly unknown[] {
  if (ask.kind === 'remove') return [ask.id];
  return ask.kind === 'import' ? ask.rows.flatMap(({ id, removed }) => (removed === true ? [id] : [])) : [];
}

/** Whether a write has removed every record that it names for that. */
function hasRemoved({ ask, yes }: Write): boolean {
  if (yes === undefined) return false;
  if (ask.kind !== 'import') return ask.kind === 'remove';
  const rows = ask.rows.filter(({ removed }) => removed === true).length;
  return !ask.replaces && Object(yes.body).data.removed === rows;
}

function grouped(
  writes: readonly Write[],
  keysOf: (write: Write) => readonly unknown[],
): ReadonlyMap<unknown, readonly Write[]> {
  const groups = new Map<unknown, Write[]>();
  for (const write of writes) for (const key of keysOf(write)) groups.set(key, [...(groups.get(key) ?? []), write]);
  return groups;
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

function recordsIn(body: unknown): readonly unknown[] {
  const content = Array.isArray(body) ? body : Object(body).data;
  return Array.isArray(content) ? content : [];
}

/** Writes whose revisions increase; several rows of an import have the same. */
function inOrder(writes: readonly Write[], bounds: ReadonlyMap<Write, Bounds>): void {
  const different = writes.filter((write, n) => write !== writes[n - 1]);
  for (const [n, write] of different.entries()) {
    const [bound, before] = [bounds.get(write), different[n - 1]];
    if (bound === undefined || before === undefined) continue;
    bound.after.add(before);
    atLeast(bound, (bounds.get(before)?.from ?? 0) + 1);
  }
  for (let n = different.length - 2; n >= 0; n -= 1) {
    const [write, next] = [different[n], different[n + 1]];
    if (write !== undefined && next !== undefined)
      atMost(bounds.get(write), (bounds.get(next)?.to ?? Number.POSITIVE_INFINITY) - 1);
  }
}

function atLeast(bound: Bounds | undefined, revision: number): void {
  if (bound !== undefined && !isExact(bound)) bound.from = Math.max(bound.from, revision);
}

function atMost(bound: Bounds | undefined, revision: number): void {
  if (bound !== undefined && !isExact(bound)) bound.to = Math.min(bound.to, revision);
}

/** If a read says otherwise, it is wrong, and found to be when its revision is. */
function isExact({ from, to }: Bounds): boolean {
  return from === to;
}
