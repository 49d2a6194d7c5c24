/** Keeps an account equal to an Odoo database: the mirrors of all models, and when which part of them is due. */

import { hash } from 'node:crypto';
import type { Clock } from '../../schedule/clock.ts';
import { Account } from '../mirror/account.ts';
import type { MirrorLog, Progress } from '../mirror/mirror-log.ts';
import { runForever } from '../mirror/run-forever.ts';
import type { ServiceOptions } from '../mirror/service-connection.ts';
import { checkCompanies, checkLanguage } from './choices.ts';
import { connect } from './connect.ts';
import { Kits, readabilityOfKits } from './kits.ts';
import { type AddedField, type MirroredModel, mirroredModels, type Rule, rulesFor } from './mapping.ts';
import { type DifferingPage, type LastingDifference, ModelMirror } from './model-mirror.ts';
import type { OdooOptions } from './odoo.ts';
import { OdooError } from './odoo-error.ts';
import { PacedOdoo } from './pace.ts';
import { isPositionOf, readPosition } from './position.ts';
import { Quantities, type QuantitySource } from './quantities.ts';
import { OdooReader } from './reader.ts';
import { type ModelFields, silentReason } from './silent-changes.ts';

export interface MirrorOptions {
  readonly odoo: OdooOptions;
  readonly account: ServiceOptions;
  readonly resources: readonly string[];
  readonly added: readonly AddedField[];
  readonly language: string | undefined;
  readonly companies: readonly number[];
  readonly requestsPerSecond: number;
  /** The pause between two rounds, in seconds. */
  readonly interval: number;
  /** How far to go back behind the latest write, in seconds. */
  readonly overlap: number;
  /** How often to look for removed records, in seconds. */
  readonly removalInterval: number;
  /** How often to compare everything, in seconds. */
  readonly comparisonInterval: number;
  /** What the names of the sources begin with. */
  readonly source: string;
  readonly confirmRemovals: boolean;
  /** Whether the Odoo may have had another address before. */
  readonly mayHaveMoved: boolean;
  /** How many records of Odoo are read at a time. */
  readonly pageSize: number;
  readonly log: MirrorLog;
  readonly onProgress: (resource: string, progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The least time to allow for a round and the pause after it, in seconds, when waiting for a mirror that is running. */
const MIN_ROUND = 5;

/** Rounds until the signal aborts. */
export async function mirrorForever(options: MirrorOptions): Promise<void> {
  const { clock } = options;
  let mirror: OdooMirror | undefined;
  let lastSuccess = clock.monotonic();
  let hasFailed = false;
  const account = new Account(options.account, options.signal, options.clock);
  const sources = modelsOf(options).map(({ resource }) => sourceOf(options, resource));
  const unread = new Set(sources);
  const round = async (succeeded: () => void) => {
    for (const source of sources) unread.add(source);
    // What was committed late while nobody looked may be further back than the overlap.
    const isAfterGap = hasFailed && clock.monotonic() - lastSuccess > options.overlap * 1_000;
    hasFailed = true;
    try {
      mirror ??= await OdooMirror.open(options);
      await mirror.round(isAfterGap, (source) => unread.delete(source));
    } catch (error) {
      // If it has been read before, a page that says 404 may mean that PostgreSQL is down, and any other page that a proxy responds in its place.
      const isAway =
        error instanceof OdooError &&
        (error.kind === 'wrong database' || error.kind === 'not Odoo') &&
        (mirror !== undefined || (await hasBeenRead(options, account)));
      throw isAway ? new OdooError('unavailable', error.message) : error;
    }
    hasFailed = false;
    lastSuccess = clock.monotonic();
    succeeded();
    await clock.pause(options.interval * 1_000, options.signal);
  };
  const isTemporary = (error: unknown) => error instanceof OdooError && error.kind === 'unavailable';
  await runForever(round, { ...options, account, failing: () => [...unread], isTemporary });
}

/** Whether the account has a position of this Odoo. */
async function hasBeenRead(options: MirrorOptions, account: Account): Promise<boolean> {
  for (const { resource } of modelsOf(options)) {
    const { position } = await account.position(sourceOf(options, resource));
    if (isPositionOf(identityOf(options), position)) return true;
  }
  return false;
}

/** Which Odoo it is, as positions say it. */
function identityOf({ odoo }: MirrorOptions): string {
  return `${new URL(odoo.url).origin} ${odoo.database}`;
}

function modelsOf({ resources }: MirrorOptions): readonly MirroredModel[] {
  return mirroredModels.filter(({ resource }) => resources.includes(resource));
}

function sourceOf({ source }: MirrorOptions, resource: string): string {
  return `${source}/${resource}`;
}

export class OdooMirror {
  readonly #options: MirrorOptions;
  readonly #account: Account;
  readonly #models: readonly ScheduledModel[];

  private constructor(options: MirrorOptions, account: Account, models: readonly ScheduledModel[]) {
    this.#options = options;
    this.#account = account;
    this.#models = models;
  }

  static async open(options: MirrorOptions): Promise<OdooMirror> {
    const reader = await openReader(options);
    const account = new Account(options.account, options.signal, options.clock);
    const accountFields = await account.fields();
    const odoo = identityOf(options);
    const models: ScheduledModel[] = [];
    for (const mirrored of modelsOf(options)) {
      const fields = await fieldsOf(reader, mirrored);
      for (const warning of warningsAbout(mirrored, fields, options)) options.log.warning(warning);
      const odooFields = fields.own;
      const source = sourceOf(options, mirrored.resource);
      const { position: saved, readAt } = await account.position(source);
      const rules = rulesFor(mirrored, odooFields, accountFields, options.added);
      const hasStock = odooFields.some(({ name }) => name === mirrored.quantity);
      const from = hasStock ? await quantitySource(reader, mirrored) : undefined;
      const bills = from === undefined ? 'none' : await readabilityOfKits(reader);
      const hasKits = from === 'computed' && bills === 'readable';
      if (bills !== 'none' && !hasKits)
        options.log.warning(
          `${mirrored.resource}: Odoo has bills of material, but the user of the key may not read them and stock moves, so the quantity of kits stays 0. Give the user a group that may, such as Inventory / User.`,
        );
      const setup = setupOf(rules, { quantities: from, hasKits }, options);
      const mirror = new ModelMirror(
        {
          ...options,
          reader,
          account: account.resource(mirrored.resource),
          mirrored,
          rules,
          quantities: from && { from, sums: new Quantities(reader) },
          kits: hasKits ? new Kits(reader, options.pageSize) : undefined,
          source,
          odoo,
          setup,
        },
        saved,
        readPosition(saved, { odoo, setup, mayHaveMoved: options.mayHaveMoved }),
      );
      models.push(new ScheduledModel({ ...options, mirrored, mirror, readAt }));
    }
    return new OdooMirror(options, account, models);
  }

  /** Looks for what is due, sends it, and reports each source that it has read. Everything is due if it could not be done for a while. */
  async round(isAfterGap = false, onRead: (source: string) => void = () => {}): Promise<void> {
    await this.#requireOwnAccount();
    for (const model of this.#models) {
      const source = sourceOf(this.#options, model.resource);
      await model.round(isAfterGap);
      await this.#account.reportSuccess(source);
      onRead(source);
    }
  }

  /** Compares everything, and sends what differs. Resolves to how many records the account cannot hold. */
  async compare(): Promise<number> {
    await this.#requireOwnAccount();
    for (const model of this.#models) {
      await model.compare();
      await this.#account.clearFailure(sourceOf(this.#options, model.resource));
    }
    return this.#models.reduce((sum, { mirror }) => sum + mirror.refused, 0);
  }

  /** Before anything is written. */
  async #requireOwnAccount(): Promise<void> {
    for (const { mirror } of this.#models) await mirror.requireOwnAccount();
  }

  /** What differs. Nothing is changed. A mirror that is running gets the time to follow what was just written. */
  async *differences(): AsyncGenerator<LastingDifference & { readonly resource: string }, void> {
    for (const { resource, mirror } of this.#models) {
      if (mirror.hasOtherSetup)
        this.#options.log.warning(
          `${resource}: the mirror has other fields, another language or other companies than this. Give verify the options of the mirror.`,
        );
      const pages: DifferingPage[] = [];
      const report = (progress: Progress) => this.#options.onProgress(resource, progress);
      for await (const page of mirror.differingPages(report)) pages.push(page);
      const longestRound = Math.max(MIN_ROUND, 3 * this.#options.interval);
      if (pages.length > 0) {
        this.#options.log.event(
          `${resource}: comparing again what differs, after two rounds of the mirror if one is running`,
        );
        await this.#account.nextRound(sourceOf(this.#options, resource), longestRound);
      }
      for (const page of pages)
        for await (const difference of mirror.differencesIn(page)) yield { resource, ...difference };
    }
  }
}

interface ScheduledModelOptions
  extends Pick<MirrorOptions, 'overlap' | 'removalInterval' | 'comparisonInterval' | 'log' | 'onProgress' | 'clock'> {
  readonly mirrored: MirroredModel;
  readonly mirror: ModelMirror;
  /** When an earlier program has read Odoo last. */
  readonly readAt: Date | undefined;
}

/** When which part of the mirror of a model is due. */
class ScheduledModel {
  readonly resource: string;
  readonly mirror: ModelMirror;
  readonly #options: ScheduledModelOptions;
  /** A change of a computed field does not update `write_date`, and there are few records, so all of them are compared every time. */
  readonly #isSmall: boolean;
  /** A monotonic time. */
  #lookedForRemovals = Number.NEGATIVE_INFINITY;
  /** Whether it has been long since Odoo was read. */
  #isAfterGap: boolean;

  constructor(options: ScheduledModelOptions) {
    const { mirrored, mirror, readAt, overlap, clock } = options;
    this.resource = mirrored.resource;
    this.mirror = mirror;
    this.#options = options;
    this.#isSmall = mirrored.resource === 'company';
    this.#isAfterGap = clock.wall() - (readAt?.getTime() ?? 0) > overlap * 1_000;
  }

  async round(isAfterGap: boolean): Promise<void> {
    const { removalInterval, comparisonInterval, clock } = this.#options;
    const { comparedAt = null, comparing } = this.mirror.position ?? {};
    const now = clock.monotonic();
    this.#isAfterGap ||= isAfterGap;
    const sinceCompared = comparedAt === null ? undefined : clock.wall() - Date.parse(comparedAt);
    // If the clock was set back, nobody knows how long ago that was.
    const isDue = sinceCompared === undefined || sinceCompared < 0 || sinceCompared > comparisonInterval * 1_000;
    if (this.#isSmall) await this.mirror.compareAll();
    else if (this.#isAfterGap || isDue || comparing !== undefined) await this.compare();
    else await this.mirror.followChanges();
    if (now - this.#lookedForRemovals >= removalInterval * 1_000) {
      await this.mirror.compareIds();
      this.#lookedForRemovals = now;
    }
    this.#isAfterGap = false;
  }

  async compare(): Promise<void> {
    const { log, onProgress } = this.#options;
    const { position, resumable } = this.mirror;
    const beginning = position === undefined ? 'copying everything' : 'comparing everything';
    const what = resumable === undefined ? beginning : `resuming the comparison after id ${resumable.upTo}`;
    log.event(`${this.resource}: ${what}`);
    await this.mirror.compareAll((progress) => onProgress(this.resource, progress));
    log.event(`${this.resource}: compared everything`);
  }
}

/** With another one, records that did not change have to be read as well. */
function setupOf(
  rules: readonly Rule[],
  stock: { readonly quantities: QuantitySource | undefined; readonly hasKits: boolean },
  options: MirrorOptions,
): string {
  const { language = null, companies } = options;
  const setup = [rules.map(({ field, from: names }) => [field, names]), stock, language, companies];
  return hash('sha1', JSON.stringify(setup), 'base64url').slice(0, 8);
}

/** The fields of a model, to find out which of them change in silence. */
export async function fieldsOf(reader: OdooReader, { model, inherits }: MirroredModel): Promise<ModelFields> {
  const own = await reader.fields(model);
  return inherits === undefined
    ? { own }
    : { own, inherited: { through: inherits.through, fields: await reader.fields(inherits.model) } };
}

/** Of what was added to a model: a sentence about each field that can change without a time that says so. */
export function warningsAbout(
  { resource }: MirroredModel,
  fields: ModelFields,
  { added, comparisonInterval }: MirrorOptions,
): readonly string[] {
  return added.flatMap(({ resource: of, field, odoo }) => {
    const reason = of === resource ? silentReason(odoo, fields) : undefined;
    return reason === undefined
      ? []
      : `${resource}: ${field} follows ${odoo} only when everything is compared, every ${comparisonInterval} seconds (--compare-every), because ${reason}, which moves no write_date.`;
  });
}

export async function openReader(options: MirrorOptions): Promise<OdooReader> {
  const odoo = new PacedOdoo(
    await connect(options.odoo, options.clock, options.signal),
    options.requestsPerSecond,
    options.clock,
  );
  const { language, companies } = options;
  const reader = new OdooReader(odoo, options);
  const withoutChoice = new OdooReader(odoo, { ...options, language: undefined, companies: [] });
  if (language !== undefined) await checkLanguage(withoutChoice, language);
  if (companies.length > 0) await checkCompanies(withoutChoice, reader, companies);
  return reader;
}

/** A user without read access to stock moves cannot read the quantities that Odoo computes either, but can read quants. */
async function quantitySource(
  reader: OdooReader,
  { model, quantity }: MirroredModel,
): Promise<QuantitySource | undefined> {
  if (quantity === undefined) return undefined;
  const none = [['id', '<', 0]] as const;
  try {
    await reader.page('stock.move', ['write_date'], none, 0);
    await reader.page(model, [quantity], none, 0);
    return 'computed';
  } catch (error) {
    if (error instanceof OdooError && error.kind === 'no rights') return 'summed';
    throw error;
  }
}
