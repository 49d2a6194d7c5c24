/**
 * Keeps a copy of a resource: applies the change feed to anything that can put and delete, and proves that the copy is equal.
 *
 * Whenever the process ends, the copy continues at its checkpoint. What was applied after it is applied again, which changes
 * nothing, since a page of changes has records as they are, not what was done to them.
 */

import { type Changes, type Feed, isEmpty, readChanges, WAIT, withoutEnd } from './changes.ts';
import type { Connection } from './connection.ts';
import { type Digest, readDigest } from './digest.ts';
import type { AnyRecord } from './fields.ts';
import type { NamesOf } from './options.ts';
import { SELECTION_OPTIONS } from './query.ts';
import { Sha256 } from './sha256.ts';
import { StockbookError } from './stockbook-error.ts';

type Awaitable<Value> = Value | PromiseLike<Value>;

/** Where a copy is kept. */
export interface Copy<R> {
  /** What `save` has stored; undefined if it was not called since the copy was cleared. */
  load(): Awaitable<string | undefined>;
  /** Adds records, or replaces those with the same id. */
  put(records: readonly R[]): Awaitable<unknown>;
  /** Removes the records with these ids, if it has them. */
  delete(ids: readonly number[]): Awaitable<unknown>;
  /** Stores where to continue. It must not become durable before what was put and deleted. */
  save(checkpoint: string): Awaitable<unknown>;
  /** Removes all records, and first of all what `save` has stored. */
  clear(): Awaitable<unknown>;
  /** All records in the order of their ids. Without it, the copy cannot be proven. */
  records?(): AsyncIterable<R> | Iterable<R>;
}

export interface MirrorOptions {
  /** Whether to wait for further changes, until the signal aborts. Otherwise ends when the copy is up to date. Default: false. */
  readonly follow?: boolean | undefined;
  /** Called when something was applied, and when the copy is up to date. */
  readonly onProgress?: ((progress: MirrorProgress) => void) | undefined;
}

export const MIRROR_OPTIONS: NamesOf<MirrorOptions & typeof SELECTION_OPTIONS> = {
  follow: 1,
  onProgress: 1,
  ...SELECTION_OPTIONS,
};

export interface MirrorProgress {
  /** How many records were put and deleted so far. */
  readonly put: number;
  readonly deleted: number;
  /** How often the copy was rebuilt: its cursor had expired, or it was not equal. */
  readonly restarts: number;
  /** Whether there were no more changes. */
  readonly isUpToDate: boolean;
  /** Whether the copy had the same SHA-256 as the account since the last restart. */
  readonly isProven: boolean;
}

/** An account that is written to constantly cannot be compared with a copy. After this many attempts the mirror continues. */
const MAX_ATTEMPTS = 10;

/** How often a digest that failed is requested again before the mirror continues. */
const DIGEST_RETRIES = 2;

export class Mirror<R extends AnyRecord> {
  readonly #connection: Connection;
  readonly #feed: Feed;
  readonly #copy: Copy<R>;
  readonly #options: MirrorOptions;
  #cursor: string | undefined;
  #progress: MirrorProgress = { put: 0, deleted: 0, restarts: 0, isUpToDate: false, isProven: false };
  #attempts = MAX_ATTEMPTS;

  constructor(connection: Connection, feed: Feed, copy: Copy<R>, options: MirrorOptions) {
    this.#connection = connection;
    this.#feed = options.follow ? withoutEnd(connection, feed) : feed;
    this.#copy = copy;
    this.#options = options;
  }

  async run(): Promise<MirrorProgress> {
    const { follow = false } = this.#options;
    await this.#begin();
    for (;;) {
      // The digest comes first: if there are no changes after it, it is that of the copy.
      const digest = this.#needsProof ? await this.#digest() : undefined;
      const wait = follow && this.#progress.isUpToDate && digest === undefined ? WAIT : 0;
      const page = await this.#next(wait);
      if (page === undefined) continue;
      await this.#apply(page);
      if (isEmpty(page) && !page.more && digest !== undefined) await this.#prove(digest);
      // Nothing was written for a while, which makes a comparison possible.
      if (wait > 0 && isEmpty(page)) this.#attempts = Math.max(this.#attempts, 1);
      else this.#options.onProgress?.(this.#progress);
      if (this.#progress.isUpToDate && !this.#needsProof && !follow) return this.#progress;
    }
  }

  /** What identifies the records of the copy. */
  get #selected(): string {
    const { fields, q, filter } = this.#feed;
    return JSON.stringify([fields, q, filter]);
  }

  async #begin(): Promise<void> {
    const [cursor, ...query] = ((await this.#copy.load()) ?? '').split(' ');
    // Records that were selected differently are of no use.
    if (query.join(' ') === this.#selected) this.#cursor = cursor;
    // A process may have ended before its first checkpoint.
    else await this.#copy.clear();
  }

  /** Undefined if the cursor has expired, and the copy is rebuilt. */
  async #next(wait: number): Promise<Changes<R> | undefined> {
    try {
      return await readChanges<R>(this.#connection, this.#feed, this.#cursor, wait);
    } catch (error) {
      if (!(error instanceof StockbookError) || error.code !== 'cursor_expired') throw error;
      await this.#restart();
      return undefined;
    }
  }

  async #restart(): Promise<void> {
    await this.#copy.clear();
    this.#cursor = undefined;
    this.#attempts = MAX_ATTEMPTS;
    const restarts = this.#progress.restarts + 1;
    this.#progress = { ...this.#progress, restarts, isUpToDate: false, isProven: false };
  }

  async #apply({ records, removed, cursor, more }: Changes<R>): Promise<void> {
    if (records.length > 0) await this.#copy.put(records);
    if (removed.length > 0) await this.#copy.delete(removed);
    if (cursor !== this.#cursor) await this.#copy.save(`${cursor} ${this.#selected}`);
    this.#cursor = cursor;
    const { put, deleted } = this.#progress;
    this.#progress = {
      ...this.#progress,
      put: put + records.length,
      deleted: deleted + removed.length,
      isUpToDate: !more,
    };
  }

  get #needsProof(): boolean {
    const { isUpToDate, isProven } = this.#progress;
    return isUpToDate && !isProven && this.#attempts > 0 && this.#copy.records !== undefined;
  }

  /** Undefined if the service cannot compute it now. The mirror continues without proof. */
  async #digest(): Promise<Digest | undefined> {
    this.#attempts -= 1;
    try {
      return await readDigest(this.#connection, { ...this.#feed, retries: DIGEST_RETRIES });
    } catch (error) {
      if (error instanceof StockbookError && error.isTemporary) return undefined;
      throw error;
    }
  }

  /** A copy that is not equal was changed by something else, or lost something. It is rebuilt, once. */
  async #prove({ sha256 }: Digest): Promise<void> {
    if ((await this.#hash()) === sha256) {
      this.#progress = { ...this.#progress, isProven: true };
      return;
    }
    if (this.#hasDiffered)
      throw new StockbookError('copy_differs', {
        detail: 'The copy was rebuilt, and still differs.',
        suggestion: 'records() must return all of it, by id.',
      });
    this.#hasDiffered = true;
    await this.#restart();
  }

  #hasDiffered = false;

  /** As the service computes it: of the records as lines, in the order of ids, with their fields in the order of the request. */
  async #hash(): Promise<string> {
    const hash = new Sha256();
    const encoder = new TextEncoder();
    const fields = [...this.#feed.fields];
    for await (const record of this.#copy.records?.() ?? [])
      hash.update(encoder.encode(`${JSON.stringify(record, fields)}\n`));
    return hash.digest();
  }
}
