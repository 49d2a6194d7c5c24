/**
 * Keeps one resource equal to a model of Odoo. Nothing in Odoo says what has changed, so there are three ways to find out:
 *
 * - `followChanges`: records, moves, quants and bills of material that were written since shortly before the latest write that was seen. A transaction has
 *   the time at which it began, so it can appear behind what was seen.
 * - `compareIds`: which records there are, because a removed one leaves no trace.
 * - `compareAll`: everything, for changes that do not update `write_date`. The first copy is the first comparison.
 */

import { hash, randomUUID } from 'node:crypto';
import { type Clock, timestamp } from '../../schedule/clock.ts';
import {
  type AccountResource,
  changedPosition,
  type ImportCounts,
  NotEmpty,
  OtherMirror,
  type RemovedRow,
  type Row,
} from '../mirror/account.ts';
import type { MirrorLog, Progress } from '../mirror/mirror-log.ts';
import { BILL_MODELS, type Kit, type Kits } from './kits.ts';
import type { MirroredModel, Rule, Value } from './mapping.ts';
import type { Domain, OdooRow } from './odoo.ts';
import { type Comparison, type Cursors, later, latestPossible, type Position, secondsBefore } from './position.ts';
import { type Quantities, type QuantitySource, UNIT } from './quantities.ts';
import { type OdooReader, writeTime } from './reader.ts';

/** How many rows are sent at a time. */
const MAX_ROWS = 10_000;

/** A comparison saves how far it is after so many pages, even if everything was equal. */
const SAVED_PAGES = 20;

/** If a larger part of the records has disappeared, somebody has to confirm it, */
const MAX_REMOVED = 0.1;

/** unless they are fewer than this many, and not all of them. */
const MANY = 10;

/** A comparison that began longer ago is begun again, in milliseconds. */
const MAX_COMPARISON_AGE = 3_600_000;

export interface ModelMirrorOptions {
  readonly reader: OdooReader;
  readonly account: AccountResource;
  readonly mirrored: MirroredModel;
  readonly rules: readonly Rule[];
  /** Undefined if there is no stock in Odoo. */
  readonly quantities: { readonly from: QuantitySource; readonly sums: Quantities } | undefined;
  /** Undefined if there are none, or if Odoo does not compute their quantities for the key's user. */
  readonly kits: Kits | undefined;
  readonly source: string;
  /** What identifies the Odoo, and what is mirrored and how. */
  readonly odoo: string;
  readonly setup: string;
  /** How many records of Odoo are read at a time. */
  readonly pageSize: number;
  /** How far to go back behind the latest write, in seconds. */
  readonly overlap: number;
  readonly confirmRemovals: boolean;
  readonly log: MirrorLog;
  readonly clock: Clock;
}

/** What differs between a record of Odoo and one of the account. */
export interface Difference {
  readonly id: number;
  readonly kind: 'missing' | 'surplus' | 'different';
  /** The fields that differ. */
  readonly fields: readonly DifferingField[];
}

export interface DifferingField {
  readonly name: string;
  readonly odoo: unknown;
  readonly account: unknown;
}

/** A difference that is still there after a while. */
export interface LastingDifference extends Difference {
  /** Why the account cannot hold what Odoo has; undefined if it can. */
  readonly refusal: string | undefined;
}

/** A page that differs: the ids after one and up to another, or up to the end. */
export interface DifferingPage {
  readonly after: number;
  readonly upTo: number | undefined;
  /** What Odoo has of the records that differ, as hashes by their ids; undefined if it does not have them. */
  readonly odoo: ReadonlyMap<number, string | undefined>;
}

/** Too many records have disappeared. Somebody has to say that they were removed. */
export class TooManyRemoved extends Error {
  override readonly name = 'TooManyRemoved';
}

export class ModelMirror {
  readonly #options: ModelMirrorOptions;
  /** What was sent last, or was found equal, as a hash; undefined if only the id is known. */
  readonly #known = new Map<number, string | undefined>();
  #knowsAllIds = false;
  /** Rows that the account cannot hold, as hashes by their ids. They are not sent again until they change. */
  readonly #refused = new Map<number, string>();
  #saved: string | null;
  /** What an import has tried to save last. */
  #attempted: string | undefined;
  #position: Position | undefined;

  constructor(options: ModelMirrorOptions, saved: string | null, position: Position | undefined) {
    this.#options = options;
    this.#saved = saved;
    this.#position = position;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** A comparison that can go on. */
  get resumable(): Comparison | undefined {
    const { comparing } = this.#position ?? {};
    if (comparing === undefined) return undefined;
    const age = this.#options.clock.wall() - Date.parse(comparing.began);
    // If the clock was set back, nobody knows how old it is.
    return age >= 0 && age < MAX_COMPARISON_AGE ? comparing : undefined;
  }

  /** Sends what was written since. Everything must have been compared before. */
  async followChanges(): Promise<void> {
    const { reader, mirrored, quantities, kits } = this.#options;
    const before = this.#requirePosition();
    const seen = { ...before.seen };
    const { clock } = this.#options;
    const latest = latestPossible(clock);
    const began = clock.monotonic();
    const see = (model: string, row: OdooRow) => {
      const time = writeTime(row);
      if (time !== null && time <= latest) seen[model] = later(seen[model] ?? null, time);
    };
    const changed: Row[] = [];
    let counts = NOTHING;
    const add = async (rows: readonly Row[]) => {
      for (const row of rows) if (this.#known.get(row.id) !== hashOf(row)) changed.push(row);
      // The position stays as it is until everything has been sent.
      if (changed.length >= MAX_ROWS) counts = sum(counts, await this.#send(changed.splice(0), before));
    };
    const read = new Set<number>();
    for await (const page of reader.pages(mirrored.model, this.#odooFields, this.#since(mirrored.model))) {
      for (const row of page) {
        read.add(row.id);
        see(mirrored.model, row);
      }
      await add(await this.#mapped(page));
    }
    if (quantities !== undefined) {
      const moved = new Set<number>();
      for (const { model, domain } of STOCK_MODELS[quantities.from])
        for await (const page of reader.pages(model, ['product_id', 'write_date'], [...domain, ...this.#since(model)]))
          for (const row of page) {
            moved.add(Number(row['product_id']));
            see(model, row);
          }
      for await (const rows of this.#readByIds([...moved].filter((id) => !read.has(id)))) await add(rows);
      if (kits !== undefined) {
        const bills = new Set<number>();
        for (const { model, field } of BILL_MODELS)
          for await (const page of reader.pages(model, [field, 'write_date'], this.#since(model)))
            for (const row of page) {
              bills.add(Number(row[field]));
              see(model, row);
            }
        const changedKits = await kits.refresh(bills);
        for await (const rows of this.#readKits(kits, changedKits, new Set([...read, ...moved]))) await add(rows);
      }
    }
    // What was read at the end may be later than what was committed since the beginning, which the next round has to find as well.
    const duration = Math.ceil((clock.monotonic() - began) / 1_000);
    const after = { ...before, seen: safelySeen(seen, before.seen, duration) };
    if (changed.length > 0) counts = sum(counts, await this.#send(changed, after));
    else this.#position = after;
    this.#report(counts);
  }

  /** Removes what Odoo does not have any more, and adds what it has and nobody saw. */
  async compareIds(): Promise<void> {
    const { reader, account, mirrored, quantities, kits } = this.#options;
    // A warehouse may have been added, or a unit changed.
    quantities?.sums.forget();
    const position = this.#requirePosition();
    const there = new Set(await reader.ids(mirrored.model));
    if (!this.#knowsAllIds) {
      for (const id of await account.ids()) if (!this.#known.has(id)) this.#known.set(id, undefined);
      this.#knowsAllIds = true;
    }
    const before = this.#known.size;
    const gone = [...this.#known.keys()].filter((id) => !there.has(id));
    let counts = NOTHING;
    for await (const rows of this.#readByIds([...there].filter((id) => !this.#known.has(id))))
      counts = sum(counts, await this.#send(rows, position));
    const removed = await this.#confirmed(gone, before);
    if (removed.length > 0) counts = sum(counts, await this.#send(removed, position));
    if (kits !== undefined)
      for await (const rows of this.#readKits(kits, await kits.reload(), new Set())) {
        const changed = rows.filter((row) => this.#known.get(row.id) !== hashOf(row));
        if (changed.length > 0) counts = sum(counts, await this.#send(changed, position));
      }
    this.#report(counts);
  }

  /** A mirror overwrites and removes, so it does not begin with records of somebody else. */
  async requireOwnAccount(): Promise<void> {
    const { account, confirmRemovals, mirrored } = this.#options;
    // After an attempt, the records may be its own.
    if (this.#position !== undefined || this.#attempted !== undefined || confirmRemovals) return;
    const there = (await account.ids()).length;
    if (there > 0) throw new NotEmpty(there, mirrored.resource);
  }

  /** Whether the account has been mirrored in another way than now. */
  get hasOtherSetup(): boolean {
    return this.#position !== undefined && this.#position.setup !== this.#options.setup;
  }

  /** How many records the account cannot hold, of those that were compared or have changed since this began. */
  get refused(): number {
    return this.#refused.size;
  }

  /** Compares everything, and sends what differs. It can be interrupted, and goes on where it was. */
  async compareAll(onProgress: (progress: Progress) => void = () => {}): Promise<void> {
    const { reader, mirrored, odoo, setup, quantities, kits } = this.#options;
    quantities?.sums.forget();
    // Before the records: what changes in the bills from now on is found later.
    await kits?.reload();
    const before = this.#position;
    const resumed = this.resumable && before;
    let position: Position = resumed ?? {
      odoo,
      setup,
      seen: await this.#newestWrites(),
      comparedAt: before?.comparedAt ?? null,
      comparing: { began: timestamp(this.#options.clock), upTo: 0 },
    };
    const total = await reader.count(mirrored.model, position.comparing?.upTo ?? 0);
    let done = 0;
    onProgress({ done, total });
    let pagesSinceSaved = 0;
    /** Whether the position that is saved says that it is under way. */
    let isBegun = resumed !== undefined;
    let counts = NOTHING;
    let surplus = 0;
    for (;;) {
      const { began, upTo: after } = position.comparing ?? { began: '', upTo: 0 };
      const { rows, differences, upTo } = await this.#comparePage(after);
      done += rows.length;
      const wrong = new Set<number>();
      for (const { id, kind } of differences) {
        if (kind !== 'surplus') wrong.add(id);
        else {
          surplus += 1;
          this.#known.set(id, undefined);
        }
      }
      const sent = rows.filter((row) => wrong.has(row.id) && this.#refused.get(row.id) !== hashOf(row));
      for (const row of rows) {
        if (wrong.has(row.id)) continue;
        this.#known.set(row.id, hashOf(row));
        this.#refused.delete(row.id);
      }
      pagesSinceSaved += 1;
      const isEnd = upTo === undefined;
      position = isEnd
        ? { ...position, comparedAt: began, comparing: undefined }
        : { ...position, comparing: { began, upTo } };
      // Few records are compared all the time, so that they are equal is not saved.
      const isSaved = isEnd
        ? done > this.#options.pageSize || before?.comparedAt == null || isBegun
        : pagesSinceSaved >= SAVED_PAGES;
      if (sent.length > 0 || isSaved) {
        counts = sum(counts, await this.#send(sent, position));
        pagesSinceSaved = 0;
        isBegun = true;
      } else if (isEnd) this.#position = position;
      onProgress({ done, total });
      if (isEnd) break;
    }
    this.#report(counts);
    this.#knowsAllIds ||= resumed === undefined;
    // Removals need all ids, and what was compared before an interruption may have changed since.
    if (resumed !== undefined || surplus > 0) await this.compareIds();
    if (resumed !== undefined) await this.followChanges();
  }

  /** Compares everything, without changing anything. Yields the pages that differ. */
  async *differingPages(onProgress: (progress: Progress) => void): AsyncGenerator<DifferingPage, void> {
    const total = await this.#options.reader.count(this.#options.mirrored.model, 0);
    let done = 0;
    onProgress({ done, total });
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: ComparedPage = await this.#comparePage(after);
      if (page.differences.length > 0) yield { after, upTo: page.upTo, odoo: hashesOf(page) };
      done += page.rows.length;
      onProgress({ done, total });
      after = page.upTo;
    }
  }

  /** What still differs in a page, and was not written in the meantime. */
  async *differencesIn({ after, upTo, odoo }: DifferingPage): AsyncGenerator<LastingDifference, void> {
    // There may be more records than there were.
    for (let at: number | undefined = after; at !== undefined; ) {
      const page: ComparedPage = await this.#comparePage(at, upTo);
      const now = hashesOf(page);
      const lasting = page.differences.filter(({ id }) => odoo.has(id) && odoo.get(id) === now.get(id));
      const ids = new Set(lasting.map(({ id }) => id));
      const refusals = await this.#options.account.refusals(page.rows.filter(({ id }) => ids.has(id)));
      for (const difference of lasting) yield { ...difference, refusal: refusals.get(difference.id) };
      at = page.upTo === upTo ? undefined : page.upTo;
    }
  }

  /** A page of Odoo's records, and what differs up to its end, or up to an id. */
  async #comparePage(after: number, end?: number): Promise<ComparedPage> {
    const { reader, account, mirrored } = this.#options;
    const domain: Domain = end === undefined ? [] : [['id', '<=', end]];
    const page = await reader.page(mirrored.model, this.#odooFields, domain, after);
    const rows = await this.#mapped(page);
    const lastId = page.at(-1)?.id ?? after;
    const upTo = page.length < this.#options.pageSize ? end : lastId;
    const ours = new Map((await account.between(after, upTo ?? lastId, this.#fields)).map((row) => [row.id, row]));
    // There may be any number of them.
    const surplus = upTo === undefined ? await account.ids(lastId) : [];
    const theirs = new Set(rows.map(({ id }) => id));
    const differences = [
      ...rows.flatMap((row): Difference[] => {
        const own = ours.get(row.id);
        if (own === undefined) return [{ id: row.id, kind: 'missing', fields: [] }];
        const fields = this.#differingFields(row, own);
        return fields.length === 0 ? [] : [{ id: row.id, kind: 'different', fields }];
      }),
      ...[...ours.keys(), ...surplus].flatMap((id): Difference[] =>
        theirs.has(id) ? [] : [{ id, kind: 'surplus', fields: [] }],
      ),
    ];
    return { rows, differences, upTo };
  }

  #differingFields(row: Row, own: Row): readonly DifferingField[] {
    return this.#fields.flatMap((name) => {
      const [odoo, account] = [row[name], own[name]];
      return odoo === undefined || isSame(odoo, account) ? [] : [{ name, odoo, account }];
    });
  }

  /** Of those that seem to be gone, the ones that really are: a record may have been invisible for a moment. */
  async #confirmed(gone: readonly number[], of: number): Promise<readonly RemovedRow[]> {
    const { confirmRemovals, mirrored, source } = this.#options;
    if (gone.length === 0) return [];
    const back = new Set<number>();
    for await (const rows of this.#readByIds(gone)) for (const { id } of rows) back.add(id);
    const removed = gone.filter((id) => !back.has(id)).map((id) => ({ id, removed: true as const }));
    if (isSuspicious(removed.length, of) && !confirmRemovals)
      throw new TooManyRemoved(
        `${removed.length} of the ${of} records of ${mirrored.resource} in the account are not in Odoo. A right or a company that was taken from the user of the key looks like removals, so nothing of ${source} is removed. If they are to be removed, run the mirror with --once --confirm-removals, and then as before.`,
      );
    return removed;
  }

  async *#readByIds(ids: readonly number[], field = 'id'): AsyncGenerator<readonly Row[], void> {
    const { reader, mirrored, pageSize } = this.#options;
    for (let at = 0; at < ids.length; at += pageSize) {
      const domain: Domain = [[field, 'in', ids.slice(at, at + pageSize)]];
      for await (const page of reader.pages(mirrored.model, this.#odooFields, domain)) yield await this.#mapped(page);
    }
  }

  /** The products of kits, of those that contain some products, and of those that contain these kits. */
  async *#readKits(
    kits: Kits,
    changed: readonly Kit[],
    products: ReadonlySet<number>,
  ): AsyncGenerator<readonly Row[], void> {
    const read = new Set<Kit>();
    for (let next = new Set([...changed, ...kits.containing(products)]); next.size > 0; ) {
      const some = [...next];
      for (const kit of some) read.add(kit);
      const found = new Set<number>();
      const variants = some.flatMap(({ product }) => (product === undefined ? [] : [product]));
      const templates = some.flatMap(({ product, template }) => (product === undefined ? [template] : []));
      for (const [field, ids] of [
        ['id', variants],
        ['product_tmpl_id', templates],
      ] as const)
        for await (const rows of this.#readByIds([...new Set(ids)], field)) {
          for (const { id } of rows) found.add(id);
          yield rows;
        }
      next = new Set(kits.containing(found).filter((kit) => !read.has(kit)));
    }
  }

  async #mapped(page: readonly OdooRow[]): Promise<readonly Row[]> {
    const { mirrored, rules, quantities } = this.#options;
    const sums = quantities?.from === 'summed' ? await quantities.sums.of(page) : undefined;
    return page.map((row) => ({
      id: row.id,
      ...(mirrored.quantity !== undefined &&
        quantities !== undefined && {
          [mirrored.quantity]: sums === undefined ? Number(row[mirrored.quantity]) : (sums.get(row.id) ?? 0),
        }),
      ...Object.fromEntries(rules.map(({ field, value }): [string, Value | undefined] => [field, value(row)])),
    }));
  }

  /** Of the account. */
  get #fields(): readonly string[] {
    const { rules, mirrored, quantities } = this.#options;
    const quantity = quantities === undefined ? undefined : mirrored.quantity;
    return [...new Set([...rules.map(({ field }) => field), ...(quantity === undefined ? [] : [quantity])])];
  }

  get #odooFields(): readonly string[] {
    const { rules, mirrored, quantities } = this.#options;
    const needed =
      quantities === undefined || mirrored.quantity === undefined
        ? []
        : quantities.from === 'computed'
          ? [mirrored.quantity]
          : [UNIT];
    return [...new Set([...rules.flatMap(({ from }) => from), 'write_date', ...needed])];
  }

  #since(model: string): Domain {
    const time = this.#requirePosition().seen[model] ?? null;
    return time === null ? [] : [['write_date', '>=', secondsBefore(time, this.#options.overlap)]];
  }

  async #newestWrites(): Promise<Position['seen']> {
    const { reader, mirrored, quantities, kits } = this.#options;
    const models = [
      mirrored.model,
      ...(quantities === undefined ? [] : STOCK_MODELS[quantities.from].map(({ model }) => model)),
      ...(kits === undefined ? [] : BILL_MODELS.map(({ model }) => model)),
    ];
    const newest: [string, string | null][] = [];
    for (const model of models)
      newest.push([model, await reader.newestWrite(model, latestPossible(this.#options.clock))]);
    return Object.fromEntries(newest);
  }

  /** The position is saved with the last of the rows, and only if no other mirror has saved one since. */
  async #send(rows: readonly (Row | RemovedRow)[], position: Position): Promise<ImportCounts> {
    // No two are equal, so that a second mirror notices even if both have read the same.
    const last = JSON.stringify({ ...position, sent: randomUUID() });
    let counts = NOTHING;
    for (let at = 0; at === 0 || at < rows.length; at += MAX_ROWS) {
      const some = rows.slice(at, at + MAX_ROWS);
      const saved =
        at + MAX_ROWS >= rows.length ? last : (this.#saved ?? JSON.stringify({ ...position, comparedAt: null }));
      counts = sum(counts, await this.#import(some, saved));
    }
    this.#position = position;
    for (const row of rows) {
      this.#refused.delete(row.id);
      if ('removed' in row) this.#known.delete(row.id);
      else this.#known.set(row.id, hashOf(row));
    }
    for (const row of await this.#refusedOf(rows, counts)) this.#refused.set(row.id, hashOf(row));
    return counts;
  }

  /** The rows that the account has not taken. If there are many, only some of them are listed, so all are read. */
  async #refusedOf(
    rows: readonly (Row | RemovedRow)[],
    { skipped, skippedMore }: ImportCounts,
  ): Promise<readonly Row[]> {
    if (skipped.length === 0) return [];
    const sent = rows.flatMap((row) => ('removed' in row ? [] : [row]));
    if (skippedMore === 0) return sent.filter(({ id }) => skipped.some((one) => one.id === id));
    const ids = sent.map(({ id }) => id);
    const found = await this.#options.account.between(Math.min(...ids) - 1, Math.max(...ids), this.#fields);
    const ours = new Map(found.map((row) => [row.id, row]));
    return sent.filter((row) => {
      const own = ours.get(row.id);
      return own === undefined || this.#differingFields(row, own).length > 0;
    });
  }

  /** An attempt whose response was lost may have been successful: then the position is the one that it had. */
  async #import(rows: readonly (Row | RemovedRow)[], position: string): Promise<ImportCounts> {
    const { account, source } = this.#options;
    const attempted = this.#attempted;
    this.#attempted = position;
    try {
      const counts = await account.import(rows, { source, position, expect: this.#saved });
      this.#saved = position;
      return counts;
    } catch (error) {
      const current = changedPosition(error);
      if (current === undefined) throw error;
      if (current === null || (current !== attempted && current !== position)) throw new OtherMirror(source);
      this.#saved = current;
      return current === position ? NOTHING : this.#import(rows, position);
    }
  }

  #report({ created, updated, removed, skipped, skippedMore }: ImportCounts): void {
    const { log, source, mirrored } = this.#options;
    if (created + updated + removed > 0)
      log.event(`${source}: ${created} created, ${updated} updated, ${removed} removed`);
    for (const { id, reason } of skipped)
      log.warning(`${source}: ${mirrored.resource} ${id} was skipped, because the account cannot hold it: ${reason}`);
    if (skippedMore > 0)
      log.warning(`${source}: ${skippedMore === 1 ? '1 more was' : `${skippedMore} more were`} skipped`);
  }

  #requirePosition(): Position {
    if (this.#position === undefined) throw new Error('nothing has been compared yet');
    return this.#position;
  }
}

/** What was seen, so many seconds earlier, but not earlier than before. */
function safelySeen(seen: Cursors, before: Cursors, seconds: number): Cursors {
  return Object.fromEntries(
    Object.entries(seen).map(([model, time]) => [
      model,
      time === null ? null : later(before[model] ?? null, secondsBefore(time, seconds)),
    ]),
  );
}

/** A right that was withdrawn takes all records with it, or many. A single one may be the only one that there was. */
function isSuspicious(removed: number, of: number): boolean {
  return removed > 1 && (removed === of || (removed >= MANY && removed > of * MAX_REMOVED));
}

interface ComparedPage {
  readonly rows: readonly Row[];
  readonly differences: readonly Difference[];
  /** Undefined at the end. */
  readonly upTo: number | undefined;
}

/** Of the records that differ. */
function hashesOf({ rows, differences }: ComparedPage): ReadonlyMap<number, string | undefined> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    differences.map(({ id }) => {
      const row = byId.get(id);
      return [id, row && hashOf(row)];
    }),
  );
}

const DONE: Domain = [['state', '=', 'done']];
const QUANTS = { model: 'stock.quant', domain: [] };

/** Every operation leaves a done move, with lines that more users may read, except those of an administrator, which write quants. */
const STOCK_MODELS: Readonly<Record<QuantitySource, readonly { readonly model: string; readonly domain: Domain }[]>> = {
  computed: [{ model: 'stock.move', domain: DONE }, QUANTS],
  summed: [{ model: 'stock.move.line', domain: DONE }, QUANTS],
};

const NOTHING: ImportCounts = { created: 0, updated: 0, removed: 0, skipped: [], skippedMore: 0 };

function hashOf(row: Row): string {
  return hash('sha1', JSON.stringify(row), 'base64');
}

/** Times have several forms. */
function isSame(theirs: unknown, ours: unknown): boolean {
  if (theirs === ours) return true;
  return typeof theirs === 'string' && typeof ours === 'string' && TIME.test(theirs) && TIME.test(ours)
    ? Date.parse(theirs) === Date.parse(ours)
    : false;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

function sum(a: ImportCounts, b: ImportCounts): ImportCounts {
  return {
    created: a.created + b.created,
    updated: a.updated + b.updated,
    removed: a.removed + b.removed,
    skipped: [...a.skipped, ...b.skipped],
    skippedMore: a.skippedMore + b.skippedMore,
  };
}
