/**
 * The columns of one resource of one account. They are built from an export and kept up to date from the change feed, both of
 * which say at which version they end. So the version of an index is always known, and a page that was found in it is sent
 * only if the ledger has the same version.
 */

import { id, type Resource } from '../../catalog/resource.ts';
import type { ColumnThread } from '../../columns/column-thread.ts';
import type { BeginCommand, ColumnCommand, ColumnResult } from '../../columns/commands.ts';
import type { Cursor, ExportPlan } from '../../plan/plan.ts';
import { type Deadline, NO_DEADLINE, unlessAborted } from '../../schedule/deadline.ts';
import type { FairQueue } from '../../schedule/fair-queue.ts';
import { type ChangeFeed, endOf } from '../change-feed.ts';
import type { Exports } from '../exports.ts';
import type { AccountId } from '../store.ts';
import type { LedgerVersion, RecordVersion } from '../version.ts';

/** What indexes share. */
export interface IndexParts {
  readonly thread: ColumnThread;
  /** Requests, of which an account has few under way. */
  readonly requests: FairQueue;
  /** Steps of requests and of everything else that the thread does. */
  readonly steps: FairQueue;
  readonly exports: Exports;
  readonly changes: ChangeFeed;
  /** Numbers a computation. */
  nextNumber(): number;
  /** Called when the memory of an index has changed. */
  onStored(index: ColumnIndex): void;
  onDropped(index: ColumnIndex): void;
}

/** How many changes are read at once, and how often before a request: an index that lacks more is not waited for. */
const CHANGES_AT_ONCE = 250;
const MAX_CHANGE_PAGES = 8;

/** Milliseconds of the thread for storing a chunk of an export, and for a step of a computation. */
const CHUNK_COST = 3;
const STEP_COST = 5;

/** How often changes are applied before a request, if something is written all the time. */
const MAX_ATTEMPTS = 3;

export class ColumnIndex {
  readonly account: AccountId;
  readonly resource: Resource;
  readonly #parts: IndexParts;
  /** Identifies the table in the thread. */
  readonly #table: number;
  #bytes = 0;
  /** Up to where it has all changes; undefined while it is being built. */
  #cursor: Cursor | undefined;
  /** Whether it lacks so many changes that they are applied in the background. */
  #isBehind = false;
  /** While changes are being applied. */
  #catchingUp: Promise<void> | undefined;
  #isDropped = false;

  constructor(account: AccountId, resource: Resource, parts: IndexParts) {
    this.account = account;
    this.resource = resource;
    this.#parts = parts;
    this.#table = parts.nextNumber();
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  get isBuilt(): boolean {
    return this.#cursor !== undefined;
  }

  /** Whether it can be asked: it lacks few changes at most. */
  get isUsable(): boolean {
    return this.isBuilt && !this.#isBehind && !this.#isDropped;
  }

  /** Once it is dropped, it cannot be used any more. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Chunk by chunk. Ends early if the index is dropped. */
  async build(): Promise<void> {
    const { account, resource } = this;
    const lines = await this.#parts.exports.open({ account }, everythingIn(resource));
    if (lines === 'no access') return this.drop();
    try {
      const { version, next } = lines;
      if (!this.#isDropped) await this.#store({ kind: 'create', table: this.#table, fields: resource.fields }, 0);
      for (let chunk = await next(); chunk !== undefined && !this.#isDropped; chunk = await next())
        await this.#store({ kind: 'append', table: this.#table, lines: chunk }, CHUNK_COST);
      if (this.#isDropped) return;
      await this.#apply('', version);
      this.#cursor = { issued: version, position: endOf(version.revision), begun: version.revision };
    } finally {
      await lines.close();
    }
  }

  /** Computes something at the version of the ledger, or a later one. Undefined if the index cannot be used. */
  async ask(
    commandFor: (table: number, number: number) => BeginCommand,
    ledger: LedgerVersion,
    cost: number,
    deadline: Deadline,
  ): Promise<ColumnResult | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && this.isUsable && !this.#isAtLeast(ledger); attempt += 1)
      await unlessAborted(this.#catchUp(), deadline.signal);
    if (!this.isUsable || !this.#isAtLeast(ledger)) return undefined;
    try {
      return await this.#parts.requests.run({ account: this.account, cost, deadline }, () =>
        this.#compute(commandFor(this.#table, this.#parts.nextNumber()), deadline),
      );
    } catch (error) {
      // The database is asked instead of an index that was dropped meanwhile, or whose thread has failed.
      if (this.#isDropped) return undefined;
      throw error;
    }
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    // If it fails, the thread is gone, and the table with it.
    this.#parts.thread.call({ kind: 'drop', table: this.#table }).catch(() => undefined);
    this.#parts.onDropped(this);
  }

  /** Resolves when nothing is being applied any more. */
  async settled(): Promise<void> {
    await this.#catchingUp;
  }

  #isAtLeast({ generation, revision }: RecordVersion): boolean {
    const issued = this.#cursor?.issued;
    return issued !== undefined && issued.generation === generation && issued.revision >= revision;
  }

  /** Resolves when some changes were applied. If there are more, the others are applied in the background. */
  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#applyChanges()
      .catch(() => {
        // The next request to the database reports the same error. Half-applied changes cannot be used.
        if (this.#isBehind) this.drop();
      })
      .finally(() => {
        this.#catchingUp = undefined;
        if (this.#isBehind && !this.#isDropped) void this.#catchUp();
      });
    return this.#catchingUp;
  }

  async #applyChanges(): Promise<void> {
    for (let page = 0; page < MAX_CHANGE_PAGES; page += 1) {
      const { account, resource } = this;
      const plan = { resource, fields: resource.fields, where: undefined, limit: CHANGES_AT_ONCE };
      const next = await this.#parts.changes.after({ account }, { ...plan, cursor: this.#cursor });
      if (next === 'cursor expired' || next === 'no access') return this.drop();
      await this.#apply(next.changes, next.more ? undefined : next.version);
      this.#cursor = next.cursor;
      this.#isBehind = next.more;
      if (!next.more || this.#isDropped) return;
    }
  }

  async #apply(changes: string, version: LedgerVersion | undefined): Promise<void> {
    const number = this.#parts.nextNumber();
    this.#stored(await this.#compute({ kind: 'apply', table: this.#table, number, changes, version }));
  }

  async #store(command: ColumnCommand, cost: number): Promise<void> {
    this.#stored(await this.#call(command, cost));
  }

  #stored(result: ColumnResult): void {
    if (result.kind === 'stored') this.#bytes = result.bytes;
    this.#parts.onStored(this);
  }

  /** Step by step, as others take their turns. */
  async #compute(command: BeginCommand, deadline = NO_DEADLINE): Promise<ColumnResult> {
    const { number } = command;
    try {
      let result = await this.#call(command, STEP_COST, deadline);
      while (result.kind === 'working') result = await this.#call({ kind: 'step', number }, STEP_COST, deadline);
      return result;
    } catch (error) {
      this.#parts.thread.call({ kind: 'cancel', number }).catch(() => undefined);
      throw error;
    }
  }

  /** When it is the account's turn. If the thread fails, the table is lost or incomplete. */
  #call(command: ColumnCommand, cost: number, deadline = NO_DEADLINE): Promise<ColumnResult> {
    return this.#parts.steps.run({ account: this.account, cost, deadline }, async () => {
      try {
        return await this.#parts.thread.call(command);
      } catch (error) {
        this.drop();
        throw error;
      }
    });
  }
}

function everythingIn(resource: Resource): ExportPlan {
  return {
    resource,
    fields: resource.fields,
    where: undefined,
    order: [{ field: id, descending: false }],
    page: undefined,
    format: { kind: 'ndjson' },
  };
}
