/** A resource at a revision, rebuilt from the writes alone: what each write does, in the simplest possible way. */

import { initialValue, type Resource } from '../../../../src/catalog/resource.ts';
import type { RecordValues } from '../../../support/fixture.ts';
import { type Import, type ImportRow, revisionIn, type WriteAsk } from '../history.ts';

export interface Version {
  /** The one that wrote the record last. */
  readonly revision: number;
  readonly values: RecordValues;
}

/** What a write would do. */
export interface Effect {
  readonly written: ReadonlyMap<number, RecordValues>;
  readonly removed: readonly number[];
  readonly counts: Counts;
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** The service sets them by its clock. */
export const DATES: readonly string[] = ['create_date', 'write_date'];

export class Model {
  readonly resource: Resource;
  revision = 0;
  lastId = 0;
  readonly records: Map<number, Version>;
  /** When records were removed that have not been added again. */
  readonly removed: Map<number, number>;

  constructor(resource: Resource, from?: Model) {
    this.resource = resource;
    this.revision = from?.revision ?? 0;
    this.lastId = from?.lastId ?? 0;
    this.records = new Map(from?.records);
    this.removed = new Map(from?.removed);
  }

  /** Undefined if the write would be refused. */
  effectOf(ask: WriteAsk): Effect | undefined {
    switch (ask.kind) {
      case 'create':
        return created(new Map([[this.lastId + 1, this.#initial(this.lastId + 1, { name: ask.name })]]));
      case 'patch': {
        const found = this.#matching(ask);
        return found && effect([[ask.id, { ...found.values, ...ask.values }]], [], { updated: 1 });
      }
      case 'remove':
        return this.#matching(ask) && effect([], [ask.id], { removed: 1 });
      case 'import':
        return this.#import(ask);
    }
  }

  /** Has the next revision. */
  apply({ written, removed }: Effect): void {
    this.revision += 1;
    for (const [id, values] of written) {
      this.records.set(id, { revision: this.revision, values });
      this.removed.delete(id);
      this.lastId = Math.max(this.lastId, id);
    }
    for (const id of removed) {
      this.records.delete(id);
      this.removed.set(id, this.revision);
    }
  }

  #matching({ id, ifMatch }: { readonly id: number; readonly ifMatch?: string | undefined }): Version | undefined {
    const found = this.records.get(id);
    return ifMatch === undefined || found?.revision === revisionIn(ifMatch) ? found : undefined;
  }

  #initial(id: number, given: RecordValues): RecordValues {
    const values = this.resource.fields.filter(({ name }) => !DATES.includes(name));
    return {
      ...Object.fromEntries(values.map((field) => [field.name, initialValue(field, '') ?? null])),
      ...given,
      id,
    };
  }

  #import({ rows, by, replaces }: Import): Effect {
    const written = new Map<number, RecordValues>();
    const removed: number[] = [];
    const counts = { created: 0, updated: 0, unchanged: 0, removed: 0 };
    const named = new Set<number>();
    let lastId = Math.max(this.lastId, ...rows.map((row) => (row['removed'] === true ? 0 : Number(row['id'] ?? 0))));
    for (const row of rows) {
      const found = this.#found(row, by);
      if (row['removed'] === true) {
        if (found === undefined) counts.unchanged += 1;
        else removed.push(found);
        continue;
      }
      const id = found ?? Number(row['id'] ?? ++lastId);
      named.add(id);
      const before = this.records.get(id)?.values;
      const values = before === undefined ? this.#initial(id, row) : { ...before, ...row };
      if (before === undefined) counts.created += 1;
      else if (Object.keys(row).every((name) => before[name] === row[name])) counts.unchanged += 1;
      else counts.updated += 1;
      if (before === undefined || !isSame(before, values)) written.set(id, values);
    }
    if (replaces) removed.push(...[...this.records.keys()].filter((id) => !named.has(id)));
    return { written, removed, counts: { ...counts, removed: removed.length } };
  }

  #found(row: ImportRow, by: string): number | undefined {
    const held = row[by];
    if (held === undefined || held === null) return undefined;
    if (by === 'id') return this.records.has(Number(held)) ? Number(held) : undefined;
    return [...this.records].find(([, { values }]) => values[by] === held)?.[0];
  }
}

function isSame(a: RecordValues, b: RecordValues): boolean {
  return Object.keys(b).every((name) => a[name] === b[name]);
}

function created(written: Effect['written']): Effect {
  return effect([...written], [], { created: written.size });
}

function effect(
  written: readonly [number, RecordValues][],
  removed: readonly number[],
  counts: Partial<Counts>,
): Effect {
  return {
    written: new Map(written),
    removed,
    counts: { created: 0, updated: 0, unchanged: 0, removed: 0, ...counts },
  };
}
