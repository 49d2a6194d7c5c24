/**
 * Keeps the records of an account equal to those of an account of another Stockbook: copies all of them once, then follows the change feed. The cursor of
 * the feed is saved together with the records.
 */

import { type Changes, isEmpty, readChanges, WAIT } from '../../client/changes.ts';
import { Resource, StockbookError } from '../../client/index.ts';
import type { Clock } from '../../schedule/clock.ts';
import {
  Account,
  type AccountField,
  changedPosition,
  NotEmpty,
  OtherMirror,
  PATHS,
  type RemovedRow,
  type ResourceName,
  type Row,
} from '../mirror/account.ts';
import type { MirrorLog, Progress } from '../mirror/mirror-log.ts';
import { runForever } from '../mirror/run-forever.ts';
import { ServiceConnection, type ServiceOptions } from '../mirror/service-connection.ts';

export interface StockbookMirrorOptions {
  readonly from: ServiceOptions;
  readonly to: ServiceOptions;
  readonly resources: readonly ResourceName[];
  /** What the names of the sources begin with. */
  readonly source: string;
  /** Whether to replace records that no mirror has written. */
  readonly confirmRemovals: boolean;
  readonly log: MirrorLog;
  /** While all records are copied. */
  readonly onProgress: (resource: string, progress: Progress) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** The cursor is one of another account. */
export class ForeignCursor extends Error {
  override readonly name = 'ForeignCursor';
}

/** After how many rows of a copy the progress is reported. */
const PROGRESS_ROWS = 1_000;

/** How often the changes are read before it is assumed that something else is the reason for a difference. */
const MAX_ATTEMPTS = 3;

type AnyResource = Resource<Row, Readonly<Record<string, 'text'>>>;

/** Until the signal aborts. */
export async function mirrorForever(options: StockbookMirrorOptions): Promise<void> {
  const account = new Account(options.to, options.signal, options.clock);
  const sources = options.resources.map((name) => sourceOf(options, name));
  await runForever(
    async (succeeded) => {
      // If one fails, all of them begin again.
      const failed = new AbortController();
      const signal = AbortSignal.any([options.signal, failed.signal]);
      const mirrors = await StockbookMirror.open({ ...options, signal });
      for (const mirror of mirrors) await mirror.bringUpToDate();
      succeeded();
      const following = mirrors.map((mirror) =>
        mirror.follow().catch((error: unknown) => {
          failed.abort(error);
          throw error;
        }),
      );
      // An import that is under way has to end before it can be made again.
      await Promise.allSettled(following);
      await Promise.all(following);
    },
    { ...options, account, failing: () => sources },
  );
}

export class StockbookMirror {
  readonly #options: StockbookMirrorOptions;
  readonly #from: ServiceConnection;
  readonly #to: ServiceConnection;
  readonly #account: Account;
  readonly #origin: AnyResource;
  readonly #copy: AnyResource;
  readonly name: ResourceName;
  readonly #source: string;
  readonly #fields: readonly string[];
  /** Fields that only one of the two accounts has. */
  readonly leftOut: readonly string[];
  #cursor: string | null;

  private constructor(
    options: StockbookMirrorOptions,
    { from, to, account }: Sides,
    name: ResourceName,
    { shared, leftOut }: FieldsOfBoth,
    cursor: string | null,
  ) {
    this.#options = options;
    this.#from = from;
    this.#to = to;
    this.#account = account;
    this.#origin = new Resource(from, PATHS[name], shared);
    this.#copy = new Resource(to, PATHS[name], shared);
    this.name = name;
    this.#source = sourceOf(options, name);
    this.#fields = shared;
    this.leftOut = leftOut;
    this.#cursor = cursor;
  }

  /** One for each resource. None of them begins with records of somebody else. */
  static async open(options: StockbookMirrorOptions): Promise<readonly StockbookMirror[]> {
    const { signal, clock, log } = options;
    const [from, to] = [new ServiceConnection(options.from, clock), new ServiceConnection(options.to, clock)];
    const account = new Account(options.to, signal, clock);
    const theirs = await new Account(options.from, signal, clock).fields();
    const ours = await account.fields();
    const mirrors: StockbookMirror[] = [];
    for (const name of options.resources) {
      const fields = fieldsOfBoth(namesOf(theirs, name), namesOf(ours, name));
      const { position } = await account.position(sourceOf(options, name));
      mirrors.push(new StockbookMirror(options, { from, to, account }, name, fields, position));
    }
    for (const mirror of mirrors) await mirror.#requireOwnAccount();
    for (const mirror of mirrors)
      if (mirror.leftOut.length > 0)
        log.warning(
          `${mirror.name}: only one of the accounts has ${mirror.leftOut.join(', ')}, which is left out. "stockbook field add" adds a field.`,
        );
    return mirrors;
  }

  /** Afterwards both have the same records, unless something was written meanwhile: then it is false. */
  async bringUpToDate(): Promise<boolean> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.#run(false);
      if (await this.isEqual()) return true;
    }
    // Somebody has written to the copy, or one of the two has got a field.
    await this.#copyAll();
    await this.#run(false);
    return this.isEqual();
  }

  /** Until the signal aborts. */
  follow(): Promise<void> {
    return this.#run(true);
  }

  /** Whether both have the same records. False as well if something was written meanwhile. */
  async isEqual(): Promise<boolean> {
    const query = { fields: this.#fields, signal: this.#options.signal };
    const [ours, theirs] = [await this.#copy.digest(query), await this.#origin.digest(query)];
    return ours.sha256 === theirs.sha256;
  }

  async #run(follow: boolean): Promise<void> {
    for (;;) {
      if (this.#cursor === null) await this.#copyAll();
      try {
        await this.#copyChanges(follow);
        return;
      } catch (error) {
        const code = error instanceof StockbookError ? error.code : undefined;
        if (code === 'invalid_cursor')
          throw new ForeignCursor(
            `${this.#source} has been read from another account than this one. Use another account, or another --source.`,
          );
        // The last time was so long ago that the feed does not go back to it.
        if (code !== 'cursor_expired') throw error;
        await this.#copyAll();
      }
    }
  }

  async #requireOwnAccount(): Promise<void> {
    const { confirmRemovals, signal } = this.#options;
    if (this.#cursor !== null) return;
    const { meta } = await this.#copy.list({ fields: ['id'], limit: 1, signal });
    if (meta.total > 0 && !confirmRemovals) throw new NotEmpty(meta.total, this.name);
  }

  async #copyAll(): Promise<void> {
    const { signal } = this.#options;
    const query = { fields: this.#fields, signal };
    // Before the records, so that whatever is written meanwhile is among the changes.
    const { cursor, total } = await this.#origin.digest(query);
    if (total > 0) await this.#send(() => this.#records(total), cursor, { replace: true, confirm: true });
    // A file without rows would be a mistake, so the service does not take it for an empty account.
    else await this.#send(() => this.#removals(), cursor);
  }

  async *#records(total: number): AsyncGenerator<Pick<Row, string>, void> {
    let done = 0;
    const records = this.#origin.stream({ fields: this.#fields, signal: this.#options.signal });
    for await (const row of this.#from.read(records)) {
      if (done % PROGRESS_ROWS === 0) this.#options.onProgress(this.name, { done, total });
      done += 1;
      yield row;
    }
  }

  async *#removals(): AsyncGenerator<RemovedRow, void> {
    const query = { fields: ['id'], signal: this.#options.signal };
    for await (const { id } of this.#to.read(this.#copy.stream(query))) yield { id: Number(id), removed: true };
  }

  async #copyChanges(follow: boolean): Promise<void> {
    const feed = { path: PATHS[this.name], fields: this.#fields, filter: undefined, signal: this.#options.signal };
    for (let isBehind = true; isBehind || follow; ) {
      const wait = isBehind ? 0 : WAIT;
      const page: Changes<Row> = await readChanges(this.#from, feed, this.#cursor ?? undefined, wait);
      const rows = [...page.records, ...page.removed.map((id) => ({ id, removed: true as const }))];
      if (!isEmpty(page)) await this.#send(rows, page.cursor);
      isBehind = page.more;
      if (follow && !isBehind) await this.#account.reportSuccess(this.#source);
    }
  }

  async #send(
    rows: Parameters<AnyResource['import']>[0],
    position: string,
    how: { readonly replace?: true; readonly confirm?: true } = {},
  ): Promise<void> {
    const { signal, log } = this.#options;
    const saved = { source: this.#source, position, expect: this.#cursor };
    try {
      const { created, updated, removed } = await this.#copy.import(rows, { ...how, ...saved, signal });
      if (created + updated + removed > 0)
        log.event(`${this.#source}: ${created} created, ${updated} updated, ${removed} removed`);
    } catch (error) {
      const current = changedPosition(error);
      if (current === undefined) throw error;
      if (current !== position) throw new OtherMirror(this.#source);
      // An attempt whose response was lost was successful.
    }
    this.#cursor = position;
  }
}

function sourceOf({ source }: StockbookMirrorOptions, name: ResourceName): string {
  return `${source}/${name}`;
}

interface Sides {
  readonly from: ServiceConnection;
  readonly to: ServiceConnection;
  /** Over `to`. */
  readonly account: Account;
}

interface FieldsOfBoth {
  readonly shared: readonly string[];
  readonly leftOut: readonly string[];
}

function fieldsOfBoth(theirs: readonly string[], ours: readonly string[]): FieldsOfBoth {
  const shared = theirs.filter((name) => ours.includes(name));
  return { shared, leftOut: [...theirs, ...ours].filter((name) => !shared.includes(name)) };
}

function namesOf(fields: readonly AccountField[], resource: ResourceName): readonly string[] {
  return fields.filter((field) => field.resource === resource).map(({ name }) => name);
}
