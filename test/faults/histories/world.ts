/** What the clients know of a resource, from the responses that they got: enough to ask for what exists. */

import type { RecordValues } from '../../support/fixture.ts';
import type { Random } from '../../support/random.ts';
import type { Ask, Outcome, ResourceName } from './history.ts';

export interface Known {
  readonly id: number;
  /** As they were last read; undefined if only the id is known. */
  readonly tag?: string | undefined;
  readonly values?: RecordValues | undefined;
}

export class World {
  readonly resource: ResourceName;
  readonly #records = new Map<number, Known>();
  readonly #removed: number[] = [];
  /** Of lists, with what was asked for. */
  readonly #tags = new Map<string, string>();

  constructor(resource: ResourceName) {
    this.resource = resource;
  }

  get size(): number {
    return this.#records.size;
  }

  record(random: Random): Known | undefined {
    return this.#records.size === 0 ? undefined : random.pick([...this.#records.values()]);
  }

  removed(random: Random): number | undefined {
    return this.#removed.length === 0 ? undefined : random.pick(this.#removed);
  }

  tagOf(question: object): string | undefined {
    return this.#tags.get(JSON.stringify(question));
  }

  learn(ask: Ask, outcome: Outcome): void {
    if (outcome.is === 'no' && outcome.code === 'record_not_found' && 'id' in ask) this.#forget(ask.id);
    if (outcome.is !== 'yes') return;
    const data = Object(outcome.body).data;
    switch (ask.kind) {
      case 'create':
        this.#learn({ id: data.id });
        return;
      case 'get':
      case 'patch':
        if (outcome.status === 200) this.#learn({ id: ask.id, tag: outcome.tag, values: data });
        return;
      case 'remove':
        this.#forget(ask.id);
        return;
      case 'list': {
        const { ifNoneMatch: _, ...question } = ask;
        if (outcome.tag !== undefined) this.#tags.set(JSON.stringify(question), outcome.tag);
        if (outcome.status !== 200) return;
        for (const { id } of data) if (!this.#records.has(id)) this.#learn({ id });
        return;
      }
      case 'import':
        for (const row of ask.rows) if (row['removed'] === true) this.#forget(Number(row['id']));
    }
  }

  #learn(known: Known): void {
    this.#records.set(known.id, known);
  }

  #forget(id: number): void {
    if (this.#records.delete(id)) this.#removed.push(id);
  }
}
