/**
 * The columns of one resource of one account. They are built from all records and kept up to date from the change feed, both of
 * which say at which version they end. So the version of an index is always known, and a page that was found in it is sent
 * only if the ledger has the same version.
 */

import type { Resource } from '../../catalog/resource.ts';
import type { Cursor } from '../../plan/plan.ts';
import { type Deadline, unlessAborted } from '../../schedule/deadline.ts';
import type { FairQueue } from '../../schedule/fair-queue.ts';
import { type ChangeFeed, endOf } from '../records/change-feed.ts';
import type { AccountId } from '../store.ts';
import type { LedgerVersion, RecordVersion } from '../version.ts';
import type { ColumnSteps, StepCaller } from './column-steps.ts';
import type { IndexTask } from './index-holder.ts';
import type { BeginCommand, ColumnResult } from './thread/commands.ts';

/** What indexes share. */
export interface IndexParts {
  /** Of requests and of everything else that the thread does. */
  readonly steps: ColumnSteps;
  /** Requests, of which an account has few under way. */
  readonly requests: FairQueue;
  readonly changes: ChangeFeed;
  /** Called when the memory of an index has changed. */
  onStored(index: ColumnIndex): void;
  onDropped(index: ColumnIndex): void;
}

/** How many changes are read at once, and how often before a request: an index that lacks more is not waited for. */
const CHANGES_AT_ONCE = 250;
const MAX_CHANGE_PAGES = 8;

/** How often changes are applied before a request, and how often it is computed, if something is written all the time. */
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
  /** Whether it lacks enough changes that they are applied in the background. */
  #isBehind = false;
  /** While changes are being applied. */
  #catchingUp: Promise<void> | undefined;
  #isDropped = false;

  constructor(account: AccountId, resource: Resource, parts: IndexParts) {
    this.account = account;
    this.resource = resource;
    this.#parts = parts;
    this.#table = parts.steps.nextNumber();
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

  /** Ends early if the index is dropped. */
  async build(): Promise<void> {
    const command = { kind: 'create', table: this.#table, fields: this.resource.fields } as const;
    this.#stored(await this.#parts.steps.call(this.#caller(), command));
    await this.#applyLines();
  }

  /** Computes something at the version of the ledger, or a later one. Undefined if the index cannot be used. */
  async ask(
    task: IndexTask,
    ledger: LedgerVersion,
    cost: number,
    deadline: Deadline,
  ): Promise<ColumnResult | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && this.isUsable; attempt += 1) {
      if (attempt > 0 || !this.#isAtLeast(ledger)) await unlessAborted(this.#catchUp(), deadline.signal);
      // It may be changed, on behalf of another request, while it is read.
      const result = this.isUsable && this.#isAtLeast(ledger) ? await this.#read(task, cost, deadline) : undefined;
      if (result !== undefined && result.kind !== 'changed') return result;
    }
    return undefined;
  }

  async #read(task: IndexTask, cost: number, deadline: Deadline): Promise<ColumnResult | undefined> {
    const number = this.#parts.steps.nextNumber();
    try {
      return await this.#parts.requests.run({ account: this.account, cost, deadline }, () =>
        this.#compute({ ...task, table: this.#table, number }, deadline),
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
    this.#parts.steps.drop(this.#table);
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
    if (this.#isBehind) return this.#applyLines();
    for (let page = 0; page < MAX_CHANGE_PAGES; page += 1) {
      const { account, resource } = this;
      const plan = { resource, fields: resource.fields, where: undefined, limit: CHANGES_AT_ONCE };
      const next = await this.#parts.changes.after({ account }, { ...plan, cursor: this.#cursor }, 'indexed');
      if (next === 'cursor expired' || next === 'no access') return this.drop();
      await this.#apply(next.changes, next.more ? undefined : next.version);
      this.#cursor = next.cursor;
      this.#isBehind = next.more;
      if (!next.more || this.#isDropped) return;
    }
  }

  /** All records, or all changes that are missing, from one snapshot. A chunk is read while the one before it is applied. */
  async #applyLines(): Promise<void> {
    const { account, resource } = this;
    const plan = { resource, fields: resource.fields, cursor: this.#cursor };
    const lines = await this.#parts.changes.indexedLines({ account }, plan);
    if (lines === 'cursor expired' || lines === 'no access') return this.drop();
    const { version, next } = lines;
    let applied = Promise.resolve();
    try {
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        await applied;
        if (this.#isDropped) return;
        applied = this.#apply(chunk, undefined);
        // Reported when it is awaited.
        applied.catch(() => undefined);
      }
      await applied;
      if (!this.#isDropped) await this.#apply('', version);
    } finally {
      await lines.close();
    }
    this.#cursor = { issued: version, position: endOf(version.revision), begun: version.revision };
    this.#isBehind = false;
  }

  async #apply(rows: Uint8Array | string, version: LedgerVersion | undefined): Promise<void> {
    const number = this.#parts.steps.nextNumber();
    this.#stored(await this.#compute({ kind: 'apply', table: this.#table, number, rows, version }));
  }

  #stored(result: ColumnResult): void {
    if (result.kind === 'stored') this.#bytes = result.bytes;
    this.#parts.onStored(this);
  }

  #compute(command: BeginCommand, deadline?: Deadline): Promise<ColumnResult> {
    return this.#parts.steps.compute(this.#caller(deadline), command);
  }

  #caller(deadline?: Deadline): StepCaller {
    return { account: this.account, ...(deadline && { deadline }), onFailed: () => this.drop() };
  }
}
