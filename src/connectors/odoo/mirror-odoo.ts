/** Keeps an account equal to an Odoo database: prepares the mirrors of all models, and has them look for changes again and again. */

import { setTimeout as sleep } from 'node:timers/promises';
import { StockbookError } from '../../client/index.ts';
import { Account } from '../mirror/account.ts';
import { connect } from './connect.ts';
import { type AddedField, type MirroredModel, mirroredModels, rulesFor } from './mapping.ts';
import { type Difference, type MirrorLog, ModelMirror, type Progress } from './model-mirror.ts';
import type { OdooOptions } from './odoo.ts';
import { OdooError } from './odoo-error.ts';
import { PacedOdoo, pauseBefore } from './pace.ts';
import { readPosition } from './position.ts';
import { Quantities, type QuantitySource } from './quantities.ts';
import { OdooReader } from './reader.ts';

export interface MirrorOdooOptions {
  readonly odoo: OdooOptions;
  readonly account: { readonly url: string; readonly key: string };
  readonly resources: readonly string[];
  readonly added: readonly AddedField[];
  readonly language: string | undefined;
  readonly companies: readonly number[];
  readonly requestsPerSecond: number;
  /** The pause between two rounds, in seconds. */
  readonly interval: number;
  /** How far to go back behind the latest write, in seconds. */
  readonly overlap: number;
  /** What the names of the sources begin with. */
  readonly source: string;
  readonly confirmRemovals: boolean;
  readonly log: MirrorLog;
  readonly onProgress: (resource: string, progress: Progress) => void;
  readonly signal: AbortSignal;
}

/** How often ids are compared, in milliseconds, */
const IDS_INTERVAL = 5 * 60_000;
/** and how often everything. */
const ALL_INTERVAL = 24 * 3_600_000;

/** The first and the longest pause while Odoo or Stockbook is not available, in milliseconds. */
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

interface Mirrored {
  readonly resource: string;
  readonly mirror: ModelMirror;
  /** When its position was saved before this program started; undefined if never. */
  readonly savedAt: Date | undefined;
  /** Some of its fields are computed, and there are few records: all of them are compared every time. */
  readonly isSmall: boolean;
}

/** Brings the account up to date once. */
export async function mirrorOnce(options: MirrorOdooOptions): Promise<void> {
  for (const { resource, mirror } of await open(options)) {
    await mirror.compareAll((progress) => options.onProgress(resource, progress));
    await mirror.compareIds();
  }
}

/** Keeps the account up to date until the signal aborts. */
export async function mirrorForever(options: MirrorOdooOptions): Promise<void> {
  const { signal, log, interval } = options;
  let failures = 0;
  let schedules: readonly Schedule[] | undefined;
  while (!signal.aborted) {
    try {
      schedules ??= (await open(options)).map((mirrored) => new Schedule(mirrored, options));
      for (const schedule of schedules) await schedule.round();
      if (failures > 0) log.event('Odoo and Stockbook are available again.');
      failures = 0;
      await sleep(interval * 1_000, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
      if (failures === 0) log.warning(`${error instanceof Error ? error.message : error} The mirror tries again.`);
      await sleep(Math.min(MAX_PAUSE, pauseBefore(failures, FIRST_PAUSE)), undefined, { signal }).catch(
        () => undefined,
      );
      failures = Math.min(failures + 1, 10);
    }
  }
}

/** What differs between Odoo and the account. Nothing is changed. */
export async function* verify(
  options: MirrorOdooOptions,
): AsyncGenerator<Difference & { readonly resource: string }, void> {
  for (const { resource, mirror } of await open(options))
    for await (const difference of mirror.differences((progress) => options.onProgress(resource, progress)))
      yield { resource, ...difference };
}

/** When which part of a mirror is due. */
class Schedule {
  readonly #mirrored: Mirrored;
  readonly #options: MirrorOdooOptions;
  #idsAt = 0;
  /** The end of the last round that worked. */
  #lastRound: number;

  constructor(mirrored: Mirrored, options: MirrorOdooOptions) {
    this.#mirrored = mirrored;
    this.#options = options;
    this.#lastRound = mirrored.savedAt?.getTime() ?? 0;
  }

  async round(): Promise<void> {
    const { mirror, resource, isSmall } = this.#mirrored;
    const { onProgress, overlap, log } = this.#options;
    const { comparedAt = null, comparedUpTo } = mirror.position ?? {};
    const now = Date.now();
    // Whatever was committed late while nobody looked is behind the overlap by now.
    const hasGap = now - this.#lastRound > overlap * 1_000;
    const isStale = comparedAt === null || now - Date.parse(comparedAt) > ALL_INTERVAL;
    if (isSmall) await mirror.compareAll();
    else if (hasGap || isStale || comparedUpTo !== undefined) {
      log.event(`${resource}: comparing everything`);
      await mirror.compareAll((progress) => onProgress(resource, progress));
      this.#idsAt = now;
    } else await mirror.followChanges();
    if (now - this.#idsAt >= IDS_INTERVAL) {
      await mirror.compareIds();
      this.#idsAt = now;
    }
    this.#lastRound = Date.now();
  }
}

async function open(options: MirrorOdooOptions): Promise<readonly Mirrored[]> {
  const { signal } = options;
  const reader = await openReader(options);
  const account = new Account(options.account, signal);
  const accountFields = await account.fields();
  const mirrors: Mirrored[] = [];
  for (const mirrored of mirroredModels.filter(({ resource }) => options.resources.includes(resource))) {
    const odooFields = await reader.fields(mirrored.model);
    const source = `${options.source}/${mirrored.resource}`;
    const odoo = `${new URL(options.odoo.url).origin} ${options.odoo.database}`;
    const { position: saved, savedAt } = await account.position(source);
    const from = await quantitySource(
      reader,
      mirrored,
      odooFields.some(({ name }) => name === mirrored.quantity),
    );
    const mirror = new ModelMirror(
      {
        ...options,
        reader,
        account: account.resource(mirrored.resource),
        mirrored,
        rules: rulesFor(mirrored, odooFields, accountFields, options.added),
        quantities: from && { from, sums: new Quantities(reader) },
        source,
        odoo,
      },
      saved,
      readPosition(saved, odoo),
    );
    mirrors.push({ resource: mirrored.resource, mirror, savedAt, isSmall: mirrored.resource === 'company' });
  }
  return mirrors;
}

export async function openReader(options: MirrorOdooOptions): Promise<OdooReader> {
  const odoo = await connect(options.odoo, options.signal);
  return new OdooReader(new PacedOdoo(odoo, options.requestsPerSecond), options);
}

/** Whoever may not read moves may not read quantities either, but the quants. */
async function quantitySource(
  reader: OdooReader,
  { model, quantity }: MirroredModel,
  hasStock: boolean,
): Promise<QuantitySource | undefined> {
  if (quantity === undefined || !hasStock) return undefined;
  try {
    await reader.page(model, [quantity], [['id', '<', 0]], 0);
    await reader.page('stock.move', ['write_date'], [['id', '<', 0]], 0);
    return 'computed';
  } catch (error) {
    if (error instanceof OdooError && error.fault === 'no rights') return 'summed';
    throw error;
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof OdooError
    ? error.fault === 'unavailable' || error.fault === 'wrong database'
    : error instanceof StockbookError && error.isTemporary;
}
