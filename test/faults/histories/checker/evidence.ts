/** What the calls about a resource say by themselves, before any order is tried. */

import type { Resource } from '../../../../src/catalog/resource.ts';
import type { Call } from '../history.ts';
import { type Bounds, boundsOf } from './bounds.ts';
import {
  type Naming,
  type RecordRead,
  type ResourceRead,
  recordReadOf,
  resourceReadOf,
  revisionsNamedIn,
} from './reads.ts';
import type { Violation } from './violation.ts';
import { changesNothing, namesIn, revisionNamedBy, sightingsIn, type Write, writesOf } from './writes.ts';

export class Evidence {
  readonly resource: Resource;
  readonly writes: readonly Write[];
  /** By the revision that a response names. */
  readonly known = new Map<number, Write>();
  /** The writes whose revision no response names, in the order in which they are due. */
  readonly open: readonly Write[];
  /** Those that were made, in the order in which they ended. */
  readonly made: readonly Write[];
  readonly resourceReads: ReadonlyMap<number, readonly ResourceRead[]>;
  /** Imports that had nothing to change do not have a revision of their own. */
  readonly idle: ReadonlyMap<number, readonly Write[]>;
  /** In the order of the revisions from which on they can have been. */
  readonly recordReads: readonly RecordRead[];
  /** The records that a revision has written, as far as responses say so. */
  readonly writtenBy: ReadonlyMap<number, ReadonlySet<number>>;
  readonly last: number;
  readonly violations: Violation[] = [];
  /** In the order in which the calls ended, each with the highest revision so far. */
  readonly #named: readonly Naming[];
  readonly #bounds: ReadonlyMap<Write, Bounds>;

  constructor(resource: Resource, calls: readonly Call[]) {
    this.resource = resource;
    this.writes = writesOf(calls).filter(({ verdict }) => verdict !== 'refused');
    this.#named = highest(calls.flatMap((call) => revisionsNamedIn(call).map((revision) => ({ call, revision }))));
    this.last = this.#named.at(-1)?.revision ?? 0;
    this.#findKnown(calls);
    const placed = new Set(this.known.values());
    const inOrder = this.writes.filter((write) => !isIdle(write)).toSorted((a, b) => a.end - b.end);
    this.made = inOrder.filter(({ verdict }) => verdict === 'made');
    this.idle = Map.groupBy(this.writes.filter(isIdle), ({ yes }) => Object(yes?.body).data.revision);
    const resourceReads = calls.flatMap((call) => resourceReadOf(call) ?? []);
    for (const read of resourceReads) this.#checkTime(read);
    this.#bounds = boundsOf({
      writes: inOrder,
      known: this.known,
      reads: resourceReads,
      floorAt: (moment) => this.floorAt(moment).revision,
    });
    this.open = inOrder
      .filter((write) => !placed.has(write))
      .toSorted((a, b) => compareDue(this.boundsOf(a), this.boundsOf(b)));
    this.resourceReads = Map.groupBy(resourceReads, ({ revision }) => revision);
    const recordReads = calls.flatMap((call) => recordReadOf(call) ?? []);
    const written = new Map<number, Set<number>>();
    for (const { id, found } of recordReads)
      if (found !== undefined) written.set(found.revision, (written.get(found.revision) ?? new Set()).add(id));
    this.writtenBy = written;
    this.recordReads = recordReads.toSorted(
      (a, b) => this.floorAt(a.call.start).revision - this.floorAt(b.call.start).revision,
    );
  }

  boundsOf(write: Write): Bounds {
    const bounds = this.#bounds.get(write);
    if (bounds === undefined) throw new Error('every write has bounds');
    return bounds;
  }

  /** The highest revision that a response has named before this moment. */
  floorAt(moment: number): { readonly revision: number; readonly call: Call | undefined } {
    let [low, high] = [0, this.#named.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#named[middle]?.call.end ?? 0) < moment) low = middle + 1;
      else high = middle;
    }
    const naming = this.#named[low - 1];
    return { revision: naming?.revision ?? 0, call: naming?.call };
  }

  #findKnown(calls: readonly Call[]): void {
    const byName = Map.groupBy(
      this.writes.flatMap((write) => namesIn(write.ask).map((name) => ({ name, write }))),
      ({ name }) => name,
    );
    for (const { revision, name } of sightingsIn(calls)) {
      const [entry, ...others] = byName.get(name) ?? [];
      if (entry !== undefined && others.length === 0) this.#know(revision, entry.write);
    }
    for (const write of this.writes) {
      const revision = revisionNamedBy(write);
      if (revision !== undefined) this.#know(revision, write);
    }
  }

  #know(revision: number, write: Write): void {
    const other = this.known.get(revision);
    if (other !== undefined && other !== write)
      this.violations.push({
        rule: 'one write per revision',
        text: `Two writes have revision ${revision} of ${this.resource.plural}.`,
        calls: [...other.attempts, ...write.attempts],
      });
    this.known.set(revision, write);
  }

  #checkTime({ call, revision }: ResourceRead): void {
    const floor = this.floorAt(call.start);
    const { outcome } = call;
    // A stream may end later than it began.
    const first = outcome.is === 'yes' ? Math.min(outcome.revision ?? revision, revision) : revision;
    if (floor.call !== undefined && first < floor.revision)
      this.violations.push({
        rule: 'reads respect time',
        text: `A read named revision ${first} of ${this.resource.plural} after another response had named ${floor.revision}.`,
        calls: [floor.call, call],
      });
  }
}

function highest(named: readonly Naming[]): readonly Naming[] {
  const sorted = named.toSorted((a, b) => a.call.end - b.call.end);
  const found: Naming[] = [];
  for (const naming of sorted) if (naming.revision > (found.at(-1)?.revision ?? 0)) found.push(naming);
  return found;
}

function isIdle({ ask, yes }: Write): boolean {
  return ask.kind === 'import' && yes !== undefined && changesNothing(yes);
}

function compareDue(a: Bounds, b: Bounds): number {
  return a.to === b.to ? 0 : a.to - b.to;
}
