/** Clients that write and read at the same time, each with choices of its own, until they are told to stop. */

import type { RecordValues } from '../../support/fixture.ts';
import { type Random, seededRandom } from '../../support/random.ts';
import type { Ask, Changes, Import, ImportRow, List, Outcome, ResourceName, WriteAsk, Yes } from './history.ts';
import type { Recorder } from './recorder.ts';
import { World } from './world.ts';

/** How many records a resource has, about: with more, clients remove some, and with fewer they add some. */
const SIZES: Readonly<Record<ResourceName, number>> = { partner: 120, company: 20 };

const WORDS = ['Oak', 'oak', 'Ærø', 'ΟΔΟΣ', 'Straße', 'null', '100%', 'Zebra'];
const CITIES = ['Oslo', 'Bergen', 'Tromsø', null];
const REFS = Array.from({ length: 12 }, (_, n) => `R-${n}`);
const COMPANIES = Array.from({ length: 16 }, (_, n) => n + 1);

/** What clients ask again and again, so that the responses are cached. */
const QUERIES: Readonly<Record<ResourceName, Queries>> = {
  partner: {
    narrow: ['active=true', 'name*oak', 'city=Oslo', 'city[Oslo,Bergen]&active=true', 'ref!=null'],
    wide: ['', '', 'city=null|is_customer=true', 'name!*ø&id>20', 'city!=Tromsø'],
    sorts: [[], [], ['-id'], ['name'], ['city', '-name'], ['active', 'is_customer', '-city']],
    fields: [[], ['id', 'name'], ['name', 'city', 'id', 'active'], ['id', 'ref']],
    facets: ['city', 'active'],
  },
  company: {
    narrow: ['name*oak', 'branch_user=1'],
    wide: ['', '', 'id>5'],
    sorts: [[], ['-id'], ['name']],
    fields: [[], ['id', 'name'], ['branch_user', 'id']],
    facets: ['branch_user'],
  },
};

interface Queries {
  /** Filters that few of the records match that clients leave alone, and those that all of them do; empty for all records. */
  readonly narrow: readonly string[];
  readonly wide: readonly string[];
  readonly sorts: readonly (readonly string[])[];
  /** Empty for all of them. */
  readonly fields: readonly (readonly string[])[];
  readonly facets: readonly string[];
}

export interface ClientsOptions {
  readonly count: number;
  /** The random choices depend on it. */
  readonly purpose: string;
  /** So many partners are there from the beginning. With many of them, clients do not read all at once. */
  readonly partners: number;
}

/** What all clients share. */
export class Clients {
  readonly recorder: Recorder;
  readonly partners: number;
  readonly worlds: Readonly<Record<ResourceName, World>> = {
    partner: new World('partner'),
    company: new World('company'),
  };
  readonly #clients: readonly Client[];
  #running: Promise<unknown> = Promise.resolve();
  #writes = 0;
  #isStopping = false;

  constructor(recorder: Recorder, { count, purpose, partners }: ClientsOptions) {
    this.recorder = recorder;
    this.partners = partners;
    this.#clients = Array.from(
      { length: count },
      (_, n) => new Client(this, n, seededRandom(`${purpose} client ${n}`)),
    );
  }

  start(): void {
    this.#running = Promise.all(this.#clients.map((client) => client.run()));
    // It is awaited when they stop, which may be much later.
    this.#running.catch(() => {
      this.#isStopping = true;
    });
  }

  nextWrite(): number {
    this.#writes += 1;
    return this.#writes;
  }

  async ask(client: number, ask: Ask): Promise<Outcome> {
    const outcome = await this.recorder.call(client, ask);
    this.worlds[ask.resource].learn(ask, outcome);
    return outcome;
  }

  /** They have been told to, or one of them has failed. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }
}

class Client {
  readonly #all: Clients;
  readonly #number: number;
  readonly #random: Random;
  /** How far it has read the feed, for each filter and selection of fields. */
  readonly #cursors = new Map<string, string>();

  constructor(all: Clients, number: number, random: Random) {
    this.#all = all;
    this.#number = number;
    this.#random = random;
  }

  async run(): Promise<void> {
    while (!this.#all.isStopping) {
      const world = this.#all.worlds[this.#random.chance(0.85) ? 'partner' : 'company'];
      await this.#act(world);
    }
  }

  #ask(ask: Ask): Promise<Outcome> {
    return this.#all.ask(this.#number, ask);
  }

  #act(world: World): Promise<unknown> {
    const random = this.#random;
    const isSmall = world.size < SIZES[world.resource];
    const action = random.next();
    if (action < 0.14) return isSmall ? this.#add(world) : this.#remove(world);
    if (action < 0.36) return this.#patch(world);
    if (action < 0.4) return this.#remove(world);
    if (action < 0.46) return this.#import(world);
    if (action < 0.48) return this.#touch(world);
    if (action < 0.62) return this.#get(world);
    if (action < 0.82) return this.#list(world);
    if (action < 0.86) return this.#readAll(world);
    return this.#follow(world);
  }

  /** Sends a write, and does what careful clients do: it is sent again until it is certain, if it has a key, or what it was about is read. */
  async #write(ask: WriteAsk): Promise<void> {
    const first = await this.#ask(ask);
    if (ask.key !== undefined) {
      const isCertain = (outcome: Outcome) =>
        outcome.is !== 'unknown' && !(outcome.is === 'no' && outcome.code === 'idempotency_key_in_progress');
      let outcome = first;
      while (!isCertain(outcome)) outcome = await this.#ask(ask);
      if (this.#random.chance(0.1)) await this.#ask(ask);
      if (this.#random.chance(0.03)) await this.#reuse(ask);
    }
    const { resource } = ask;
    const id =
      'id' in ask ? ask.id : first.is === 'yes' && ask.kind === 'create' ? Object(first.body).data.id : undefined;
    const isSeen = ask.kind === 'patch' && first.is === 'yes';
    if (id !== undefined && !isSeen && this.#random.chance(0.8)) await this.#ask({ kind: 'get', resource, id });
  }

  /** With the key of another request. */
  async #reuse({ resource, key }: WriteAsk): Promise<void> {
    const known = this.#all.worlds[resource].record(this.#random);
    const write = this.#all.nextWrite();
    if (known !== undefined)
      await this.#ask({ kind: 'patch', resource, write, key, id: known.id, values: { name: this.#nameOf(write) } });
  }

  #newWrite(): { readonly write: number; readonly key: string | undefined } {
    const write = this.#all.nextWrite();
    return { write, key: this.#random.chance(0.5) ? `key-${write}` : undefined };
  }

  #nameOf(write: number, row?: number): string {
    return `${this.#random.pick(WORDS)} w${write}${row === undefined ? '' : `.${row}`}`;
  }

  #add(world: World): Promise<void> {
    const ids = this.#newWrite();
    if (world.resource === 'partner')
      return this.#write({ kind: 'create', resource: 'partner', ...ids, name: this.#nameOf(ids.write) });
    return this.#write(this.#rows(world, ids, 'id', [this.#newRow(world, ids.write, 0)]));
  }

  #rows(world: World, ids: Pick<Import, 'write' | 'key'>, by: string, rows: readonly ImportRow[]): Import {
    return { kind: 'import', resource: world.resource, ...ids, by, rows, replaces: false };
  }

  #newRow({ resource }: World, write: number, row: number): ImportRow {
    const name = this.#nameOf(write, row);
    return resource === 'partner'
      ? { name, city: this.#random.pick(CITIES), is_customer: this.#random.chance(0.5) }
      : { name, branch_user: String(this.#random.below(3)) };
  }

  async #patch(world: World): Promise<void> {
    const known = world.record(this.#random);
    if (known === undefined) return this.#add(world);
    const ids = this.#newWrite();
    const values = { name: this.#nameOf(ids.write), ...this.#someValues(world) };
    const ifMatch = this.#random.chance(0.5) ? known.tag : undefined;
    await this.#write({ kind: 'patch', resource: world.resource, ...ids, id: known.id, values, ifMatch });
  }

  #someValues({ resource }: World): RecordValues {
    const random = this.#random;
    if (resource === 'company') return random.chance(0.5) ? { branch_user: String(random.below(3)) } : {};
    return {
      ...(random.chance(0.4) && { city: random.pick(CITIES) }),
      ...(random.chance(0.3) && { active: random.chance(0.5) }),
      ...(random.chance(0.3) && { is_customer: random.chance(0.5) }),
    };
  }

  async #remove(world: World): Promise<void> {
    const known = world.record(this.#random);
    if (known === undefined) return this.#add(world);
    const ids = this.#newWrite();
    const gone = this.#random.chance(0.1) ? world.removed(this.#random) : undefined;
    const about =
      gone === undefined ? { id: known.id, ifMatch: this.#random.chance(0.3) ? known.tag : undefined } : { id: gone };
    await this.#write({ kind: 'remove', resource: world.resource, ...ids, ...about });
  }

  async #import(world: World): Promise<void> {
    const random = this.#random;
    const ids = this.#newWrite();
    const rows = Array.from({ length: random.between(1, 6) }, (_, n) => this.#newRow(world, ids.write, n));
    if (world.resource === 'company' && random.chance(0.4)) return this.#replace(world, ids);
    const choice = random.below(3);
    if (choice === 0) return this.#write(this.#rows(world, ids, 'id', rows));
    if (choice === 1 && world.resource === 'partner')
      return this.#write(
        this.#rows(
          world,
          ids,
          'ref',
          rows.map((row, n) => ({ ...row, ref: REFS[(ids.write + n) % REFS.length] ?? null })),
        ),
      );
    await this.#write(this.#rows(world, ids, 'id', this.#rowsAboutSome(world, rows)));
  }

  /** Rows that change records, remove them, or bring back some that were removed. */
  #rowsAboutSome(world: World, rows: readonly ImportRow[]): readonly ImportRow[] {
    const random = this.#random;
    const named = new Map<number, ImportRow>();
    for (const row of rows) {
      const id = random.chance(0.3) ? world.removed(random) : world.record(random)?.id;
      if (id !== undefined) named.set(id, random.chance(0.3) ? { id, removed: true } : { id, ...row });
    }
    return [...named.values()];
  }

  /** Some rows have no new values. */
  async #replace(world: World, ids: Pick<Import, 'write' | 'key'>): Promise<void> {
    const random = this.#random;
    const rows = COMPANIES.filter(() => random.chance(0.7)).map((id) =>
      random.chance(0.5)
        ? { id, name: `Company ${id}`, branch_user: '1' }
        : { id, ...this.#newRow(world, ids.write, id) },
    );
    if (rows.length > 0) await this.#write({ ...this.#rows(world, ids, 'id', rows), replaces: true });
  }

  async #touch(world: World): Promise<void> {
    const known = world.record(this.#random);
    if (known?.tag === undefined || known.values === undefined) return this.#get(world);
    const { name } = known.values;
    await this.#ask({
      kind: 'touch',
      resource: world.resource,
      id: known.id,
      values: { name: name ?? null },
      ifMatch: known.tag,
    });
  }

  async #get(world: World): Promise<void> {
    const random = this.#random;
    const known = world.record(random);
    const id = random.chance(0.1) ? world.removed(random) : known?.id;
    if (id === undefined) return;
    const ifNoneMatch = id === known?.id && random.chance(0.3) ? known.tag : undefined;
    // The second time, it is cached.
    for (let times = random.between(1, 3); times > 0; times -= 1)
      await this.#ask({ kind: 'get', resource: world.resource, id, ifNoneMatch });
  }

  async #list(world: World): Promise<void> {
    const random = this.#random;
    // What everybody asks is often cached.
    if (random.chance(0.4)) {
      const popular = { kind: 'list', resource: world.resource, sort: [], page: 1, limit: 10 } as const;
      await this.#ask({ ...popular, ifNoneMatch: random.chance(0.3) ? world.tagOf(popular) : undefined });
      return;
    }
    const { sorts, fields } = QUERIES[world.resource];
    const filter = this.#filter(world);
    const limit = random.pick([3, 10, 40]);
    const question: List = {
      kind: 'list',
      resource: world.resource,
      ...selectionOf(filter, random.pick(fields)),
      sort: this.#isLarge(world, filter) ? random.pick([[], ['-id']]) : random.pick(sorts),
      page: 1,
      limit,
    };
    const size = world.size + (this.#isLarge(world, filter) ? this.#all.partners : 0);
    const first = random.between(1, 3 + size / limit);
    for (let page = first; page < first + random.between(1, 4); page += 1) {
      const paged = { ...question, page };
      const ifNoneMatch = random.chance(0.3) ? world.tagOf(paged) : undefined;
      await this.#ask({ ...paged, ifNoneMatch });
    }
  }

  #filter({ resource }: World): string {
    const { narrow, wide } = QUERIES[resource];
    return this.#random.pick(this.#random.chance(0.5) ? narrow : wide);
  }

  /** Whether a filter matches many records. */
  #isLarge({ resource }: World, filter: string): boolean {
    return resource === 'partner' && this.#all.partners > 0 && !QUERIES.partner.narrow.includes(filter);
  }

  #readAll(world: World): Promise<unknown> {
    const random = this.#random;
    const { resource } = world;
    const { fields, facets } = QUERIES[resource];
    const filter = this.#filter(world);
    const selection = { resource, ...selectionOf(filter, random.pick(fields)) };
    const choice = random.below(3);
    if (choice === 0 && !this.#isLarge(world, filter)) return this.#ask({ kind: 'export', ...selection });
    if (choice === 1) return this.#ask({ kind: 'digest', ...selection });
    return this.#ask({ kind: 'aggregate', resource, filter: selection.filter, facet: random.pick(facets) });
  }

  /** Reads some pages of the feed, and goes on from there the next time, unless it has lost its copy. */
  async #follow(world: World): Promise<void> {
    const random = this.#random;
    const isPlain = random.chance(0.7);
    const filter = isPlain ? '' : this.#filter(world);
    const selection = {
      resource: world.resource,
      ...selectionOf(filter, isPlain ? [] : random.pick(QUERIES[world.resource].fields)),
    };
    const name = JSON.stringify(selection);
    if (random.chance(0.03)) this.#cursors.delete(name);
    for (let pages = random.between(1, 6); pages > 0; pages -= 1) {
      const since = this.#cursors.get(name);
      const isLarge = this.#isLarge(world, filter);
      const form = random.pick(
        isLarge ? (['page', 'wait'] as const) : (['page', 'page', 'page', 'wait', 'lines'] as const),
      );
      const limit = form === 'lines' ? undefined : since === undefined && isLarge ? 1_000 : random.pick([1, 4, 10, 20]);
      const ask: Changes = { kind: 'changes', ...selection, form, since, limit };
      const outcome = await this.#ask(ask);
      if (outcome.is !== 'yes') return;
      const { cursor, more } = Array.isArray(outcome.body) ? outcome.body.at(-1).end : Object(outcome.body).meta;
      this.#cursors.set(name, cursor);
      if (!more) return;
    }
  }
}

function selectionOf(filter: string, fields: readonly string[]): Pick<List, 'filter' | 'fields'> {
  return { ...(filter !== '' && { filter }), ...(fields.length > 0 && { fields }) };
}

/** Records that are there from the beginning. */
export async function fill(clients: Clients, client: number): Promise<void> {
  if (clients.partners === 0) return;
  const write = clients.nextWrite();
  const rows = Array.from({ length: clients.partners }, (_, n) => ({ name: `Static w${write}.${n}`, active: false }));
  const ask: Import = { kind: 'import', resource: 'partner', write, by: 'id', rows, replaces: false };
  const outcome = await clients.ask(client, ask);
  if (outcome.is !== 'yes') throw new Error('the records could not be imported');
}

/** What an auditor reads once everything is quiet: the whole list, the digest, and the whole feed in two ways. */
export async function audit(clients: Clients, client: number, resource: ResourceName): Promise<void> {
  const ask = async (asked: Ask): Promise<Yes> => {
    const outcome = await clients.ask(client, asked);
    if (outcome.is !== 'yes') throw new Error('the service does not answer');
    return outcome;
  };
  for (let page: number | null = 1; page !== null; ) {
    const list: Yes = await ask({ kind: 'list', resource, sort: [], page, limit: 1_000 });
    page = Object(list.body).pagination.nextPage;
  }
  await ask({ kind: 'digest', resource });
  await ask({ kind: 'export', resource });
  await ask({ kind: 'changes', resource, form: 'lines' });
  let oldest: string | undefined;
  for (const isFromBeginning of [true, false]) {
    let since = isFromBeginning ? undefined : oldest;
    for (let more = true; more; ) {
      const page: Yes = await ask({ kind: 'changes', resource, form: 'page', since, limit: 500 });
      oldest = page.oldest;
      ({ cursor: since, more } = Object(page.body).meta);
    }
  }
}
