/**
 * Keeps one resource equal to a model of Odoo. Nothing in Odoo says what has changed, so there are three ways to find out:
 *
 * - `followChanges`: records, moves and quants that were written since shortly before the latest write that was seen. A transaction has the time at which
 *   it began, so it can appear behind what was seen.
 * - `compareIds`: which records there are, because a removed one leaves no trace.
 * - `compareAll`: everything, for what moves no time at all. The first copy is the first comparison.
 */

import { hash } from 'node:crypto';
import type { AccountResource, ImportCounts, RemovedRow, Row } from '../mirror/account.ts';
import { isPositionChanged, OtherMirror } from '../mirror/account.ts';
import type { MirrorLog } from '../mirror/mirror-log.ts';
import type { MirroredModel, Rule, Value } from './mapping.ts';
import type { Domain, OdooRow } from './odoo.ts';
import { later, type Position, secondsBefore } from './position.ts';
import type { Quantities, QuantitySource } from './quantities.ts';
import { type OdooReader, PAGE, writeTime } from './reader.ts';

/** How many rows are sent at a time. */
const MAX_ROWS = 10_000;

/** A comparison saves how far it is after so many pages, even if everything was equal. */
const SAVED_PAGES = 20;

/** The share of the records that may disappear at once. More look like a right that was withdrawn, and not like removals. */
const REMOVAL_SHARE = 10;

export interface ModelMirrorOptions {
  readonly reader: OdooReader;
  readonly account: AccountResource;
  readonly mirrored: MirroredModel;
  readonly rules: readonly Rule[];
  /** Undefined if there is no stock in Odoo. */
  readonly quantities: { readonly from: QuantitySource; readonly sums: Quantities } | undefined;
  readonly source: string;
  /** What identifies the Odoo. */
  readonly odoo: string;
  /** How far to go back behind the latest write, in seconds. */
  readonly overlap: number;
  readonly confirmRemovals: boolean;
  readonly log: MirrorLog;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What differs between a record of Odoo and one of the account. */
export interface Difference {
  readonly id: number;
  readonly kind: 'missing' | 'surplus' | 'different';
  /** The fields that differ. */
  readonly fields: readonly string[];
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
  #saved: string | null;
  #position: Position | undefined;

  constructor(options: ModelMirrorOptions, saved: string | null, position: Position | undefined) {
    this.#options = options;
    this.#saved = saved;
    this.#position = position;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** Sends what was written since. Everything must have been compared before. */
  async followChanges(): Promise<void> {
    const { reader, mirrored, quantities } = this.#options;
    const position = this.#requirePosition();
    const seen = { ...position.seen };
    const rows: Row[] = [];
    const read = new Set<number>();
    for await (const page of reader.pages(mirrored.model, this.#odooFields, this.#since(mirrored.model))) {
      for (const row of page) {
        read.add(row.id);
        seen[mirrored.model] = later(seen[mirrored.model] ?? null, writeTime(row));
      }
      rows.push(...(await this.#mapped(page)));
    }
    if (quantities !== undefined) {
      const moved = new Set<number>();
      for (const { model, domain } of STOCK_MODELS[quantities.from])
        for await (const page of reader.pages(model, ['product_id', 'write_date'], [...domain, ...this.#since(model)]))
          for (const row of page) {
            moved.add(Number(row['product_id']));
            seen[model] = later(seen[model] ?? null, writeTime(row));
          }
      rows.push(...(await this.#readByIds([...moved].filter((id) => !read.has(id)))));
    }
    const changed = rows.filter((row) => this.#known.get(row.id) !== hashOf(row));
    if (changed.length > 0) this.#report(await this.#send(changed, { ...position, seen }));
  }

  /** Removes what Odoo does not have any more, and adds what it has and nobody saw. */
  async compareIds(): Promise<void> {
    const { reader, account, mirrored } = this.#options;
    const position = this.#requirePosition();
    const there = new Set(await reader.ids(mirrored.model));
    if (!this.#knowsAllIds) {
      for (const id of await account.ids()) if (!this.#known.has(id)) this.#known.set(id, undefined);
      this.#knowsAllIds = true;
    }
    const missing = [...there].filter((id) => !this.#known.has(id));
    const gone = [...this.#known.keys()].filter((id) => !there.has(id));
    const rows = await this.#readByIds(missing);
    const removed = await this.#confirmed(gone, this.#known.size);
    if (rows.length + removed.length > 0) this.#report(await this.#send([...rows, ...removed], position));
  }

  /** Compares everything, and sends what differs. It can be interrupted, and goes on where it was. */
  async compareAll(onProgress: (progress: Progress) => void = () => {}): Promise<void> {
    const { reader, mirrored, odoo } = this.#options;
    const before = this.#position;
    const isResumed = before?.comparedUpTo !== undefined;
    let position: Position = isResumed
      ? before
      : { odoo, seen: await this.#newestWrites(), comparedAt: before?.comparedAt ?? null, comparedUpTo: 0 };
    const total = await reader.count(mirrored.model);
    let done = 0;
    let pagesSinceSaved = 0;
    let counts = NOTHING;
    const surplus: number[] = [];
    for (;;) {
      const after = position.comparedUpTo ?? 0;
      const { rows, differences, upTo } = await this.#comparePage(after);
      done += rows.length;
      const wrong = new Set(differences.filter(({ kind }) => kind !== 'surplus').map(({ id }) => id));
      surplus.push(...differences.filter(({ kind }) => kind === 'surplus').map(({ id }) => id));
      const sent = rows.filter(({ id }) => wrong.has(id));
      for (const row of rows) if (!wrong.has(row.id)) this.#known.set(row.id, hashOf(row));
      if (upTo === undefined) {
        // Removals need all ids, so they are compared last.
        for (const id of surplus) this.#known.set(id, undefined);
        this.#knowsAllIds ||= !isResumed;
        const { comparedUpTo: _, ...rest } = position;
        position = { ...rest, comparedAt: new Date().toISOString() };
        // Few records are compared all the time.
        if (sent.length > 0 || done > PAGE || before?.comparedAt == null)
          counts = sum(counts, await this.#send(sent, position));
        else this.#position = position;
        onProgress({ done, total });
        this.#report(counts);
        if (isResumed || surplus.length > 0) await this.compareIds();
        return;
      }
      position = { ...position, comparedUpTo: upTo };
      pagesSinceSaved += 1;
      if (sent.length > 0 || pagesSinceSaved >= SAVED_PAGES) {
        counts = sum(counts, await this.#send(sent, position));
        pagesSinceSaved = 0;
      }
      onProgress({ done, total });
    }
  }

  /** What differs, without changing anything. */
  async *differences(onProgress: (progress: Progress) => void): AsyncGenerator<Difference, void> {
    const total = await this.#options.reader.count(this.#options.mirrored.model);
    let done = 0;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: ComparedPage = await this.#comparePage(after);
      yield* page.differences;
      done += page.rows.length;
      onProgress({ done, total });
      after = page.upTo;
    }
  }

  /** A page of Odoo's records, and what differs up to its end. */
  async #comparePage(after: number): Promise<ComparedPage> {
    const { reader, account, mirrored } = this.#options;
    const page = await reader.page(mirrored.model, this.#odooFields, [], after);
    const rows = await this.#mapped(page);
    const upTo = page.length < PAGE ? undefined : page.at(-1)?.id;
    const ours = new Map((await account.between(after, upTo, this.#fields)).map((row) => [row.id, row]));
    const theirs = new Map(rows.map((row) => [row.id, row]));
    const differences = [
      ...rows.flatMap((row): Difference[] => {
        const own = ours.get(row.id);
        if (own === undefined) return [{ id: row.id, kind: 'missing', fields: [] }];
        const fields = this.#fields.filter((field) => !isSame(row[field], own[field]));
        return fields.length === 0 ? [] : [{ id: row.id, kind: 'different', fields }];
      }),
      ...[...ours.keys()].flatMap((id): Difference[] => (theirs.has(id) ? [] : [{ id, kind: 'surplus', fields: [] }])),
    ];
    return { rows, differences, upTo };
  }

  /** Of those that seem to be gone, the ones that really are: a record may have been invisible for a moment. */
  async #confirmed(gone: readonly number[], of: number): Promise<readonly RemovedRow[]> {
    const { confirmRemovals, mirrored, source } = this.#options;
    if (gone.length === 0) return [];
    if (gone.length * REMOVAL_SHARE > of && gone.length > REMOVAL_SHARE && !confirmRemovals)
      throw new TooManyRemoved(
        `${gone.length} of ${of} records of ${mirrored.model} are not in Odoo any more, more than a tenth. A right or a company that was taken from the user of the key looks the same, so nothing of ${source} is removed. If they were removed, run the mirror once with --confirm-removals.`,
      );
    const back = new Set((await this.#readByIds(gone)).map(({ id }) => id));
    return gone.filter((id) => !back.has(id)).map((id) => ({ id, removed: true }));
  }

  async #readByIds(ids: readonly number[]): Promise<readonly Row[]> {
    const { reader, mirrored } = this.#options;
    const rows: Row[] = [];
    for (let at = 0; at < ids.length; at += PAGE) {
      const some = ids.slice(at, at + PAGE);
      rows.push(...(await this.#mapped(await reader.page(mirrored.model, this.#odooFields, [['id', 'in', some]], 0))));
    }
    return rows;
  }

  async #mapped(page: readonly OdooRow[]): Promise<readonly Row[]> {
    const { mirrored, rules, quantities } = this.#options;
    const sums = quantities?.from === 'summed' ? await quantities.sums.of(page.map(({ id }) => id)) : undefined;
    return page.map((row) => ({
      id: row.id,
      ...Object.fromEntries(rules.map(({ field, value }): [string, Value] => [field, value(row)])),
      ...(mirrored.quantity !== undefined &&
        quantities !== undefined && {
          [mirrored.quantity]: sums === undefined ? Number(row[mirrored.quantity]) : (sums.get(row.id) ?? 0),
        }),
    }));
  }

  /** Of the account. */
  get #fields(): readonly string[] {
    const { rules, mirrored, quantities } = this.#options;
    const quantity = quantities === undefined ? undefined : mirrored.quantity;
    return [...rules.map(({ field }) => field), ...(quantity === undefined ? [] : [quantity])];
  }

  get #odooFields(): readonly string[] {
    const { rules, mirrored, quantities } = this.#options;
    const computed = quantities?.from === 'computed' ? mirrored.quantity : undefined;
    return [
      ...new Set([...rules.flatMap(({ from }) => from), 'write_date', ...(computed === undefined ? [] : [computed])]),
    ];
  }

  #since(model: string): Domain {
    const time = this.#requirePosition().seen[model] ?? null;
    return time === null ? [] : [['write_date', '>=', secondsBefore(time, this.#options.overlap)]];
  }

  async #newestWrites(): Promise<Position['seen']> {
    const { reader, mirrored, quantities } = this.#options;
    const models = [
      mirrored.model,
      ...(quantities === undefined ? [] : STOCK_MODELS[quantities.from].map(({ model }) => model)),
    ];
    const newest: [string, string | null][] = [];
    for (const model of models) newest.push([model, (await reader.newestWrite(model)) ?? null]);
    return Object.fromEntries(newest);
  }

  /** The position is saved with the last of the rows, and only if no other mirror has saved one since. */
  async #send(rows: readonly (Row | RemovedRow)[], position: Position): Promise<ImportCounts> {
    const { account, source } = this.#options;
    const last = JSON.stringify(position);
    let counts = NOTHING;
    for (let at = 0; at === 0 || at < rows.length; at += MAX_ROWS) {
      const some = rows.slice(at, at + MAX_ROWS);
      const isLast = at + MAX_ROWS >= rows.length;
      const saved = isLast ? last : (this.#saved ?? JSON.stringify({ ...position, comparedUpTo: 0 }));
      try {
        const sent = await account.import(some, { source, position: saved, expect: this.#saved });
        counts = sum(counts, sent);
      } catch (error) {
        throw isPositionChanged(error) ? new OtherMirror(source) : error;
      }
      this.#saved = saved;
    }
    this.#position = position;
    for (const row of rows) {
      if ('removed' in row) this.#known.delete(row.id);
      else this.#known.set(row.id, hashOf(row));
    }
    return counts;
  }

  #report({ created, updated, removed, skipped }: ImportCounts): void {
    const { log, source } = this.#options;
    if (created + updated + removed > 0)
      log.event(`${source}: ${created} created, ${updated} updated, ${removed} removed`);
    for (const reason of skipped) log.warning(`${source}: a record was skipped, ${reason}`);
  }

  #requirePosition(): Position {
    if (this.#position === undefined) throw new Error('nothing has been compared yet');
    return this.#position;
  }
}

interface ComparedPage {
  readonly rows: readonly Row[];
  readonly differences: readonly Difference[];
  /** Undefined at the end. */
  readonly upTo: number | undefined;
}

const DONE: Domain = [['state', '=', 'done']];
const QUANTS = { model: 'stock.quant', domain: [] };

/** Every operation leaves a done move, with lines that more users may read, except those of an administrator, which write quants. */
const STOCK_MODELS: Readonly<Record<QuantitySource, readonly { readonly model: string; readonly domain: Domain }[]>> = {
  computed: [{ model: 'stock.move', domain: DONE }, QUANTS],
  summed: [{ model: 'stock.move.line', domain: DONE }, QUANTS],
};

const NOTHING: ImportCounts = { created: 0, updated: 0, removed: 0, skipped: [] };

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
  };
}
