/**
 * The columns of one resource of one account. They are built from an export and kept up to date from the change feed, both of
 * which say at which version they end. So the version of an index is always known, and a page that was found in it is sent
 * only if the ledger has the same version.
 */

import { id, type Resource } from '../../catalog/resource.ts';
import type { ColumnThread } from '../../columns/column-thread.ts';
import type { AggregateRequest, ColumnCommand, ColumnResult } from '../../columns/commands.ts';
import type { Cursor, ExportPlan } from '../../plan/plan.ts';
import { type Deadline, NO_DEADLINE } from '../../schedule/deadline.ts';
import type { FairQueue } from '../../schedule/fair-queue.ts';
import { type ChangeFeed, endOf } from '../change-feed.ts';
import type { Exports } from '../exports.ts';
import type { AccountId } from '../store.ts';
import type { LedgerVersion, RecordVersion } from '../version.ts';

/** What indexes share. */
export interface IndexParts {
  readonly thread: ColumnThread;
  /** The accounts' turns on the thread. */
  readonly queue: FairQueue;
  readonly exports: Exports;
  readonly changes: ChangeFeed;
  /** Called when the memory of an index has changed. */
  onStored(index: ColumnIndex): void;
}

/** How many changes are applied at once. An index that lacks more is not waited for. */
const CHANGES_AT_ONCE = 2_000;

/** Milliseconds of the thread for storing a record, and for a chunk of an export. */
const RECORD_COST = 0.01;
const CHUNK_COST = 3;

/** Milliseconds of the thread for a step of an aggregate. */
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
  /** Whether more changes are missing than are applied at once. */
  #isBehind = false;
  /** While changes are being applied. */
  #catchingUp: Promise<void> | undefined;
  /** Once dropped, it must not be used any more. */
  #isDropped = false;

  constructor(account: AccountId, resource: Resource, table: number, parts: IndexParts) {
    this.account = account;
    this.resource = resource;
    this.#table = table;
    this.#parts = parts;
  }

  /** The memory that it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  get isReady(): boolean {
    return this.#cursor !== undefined && !this.#isBehind && !this.#isDropped;
  }

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
      await this.#store({ kind: 'create', table: this.#table, fields: resource.fields }, 0);
      for (let chunk = await next(); chunk !== undefined && !this.#isDropped; chunk = await next())
        await this.#store({ kind: 'append', table: this.#table, lines: chunk }, CHUNK_COST);
      await this.#store({ kind: 'apply', table: this.#table, changes: '', version }, 0);
      this.#cursor = { issued: version, position: endOf(version.revision), begun: version.revision };
    } finally {
      await lines.close();
    }
  }

  /** Runs a command at the version of the ledger, or a later one. Undefined if the index cannot be used. */
  async ask(
    commandFor: (table: number) => ColumnCommand,
    ledger: LedgerVersion,
    cost: number,
    deadline: Deadline,
  ): Promise<ColumnResult | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && this.isReady && !this.#isAtLeast(ledger); attempt += 1)
      await this.#catchUp();
    if (!this.isReady || !this.#isAtLeast(ledger)) return undefined;
    return this.#call(commandFor(this.#table), cost, deadline);
  }

  /** Step by step, as others take their turns. `number` identifies the computation. */
  async aggregate(
    number: number,
    request: AggregateRequest,
    ledger: LedgerVersion,
    deadline: Deadline,
  ): Promise<ColumnResult | undefined> {
    const begin = (table: number): ColumnCommand => ({ kind: 'aggregate', table, number, request });
    let result = await this.ask(begin, ledger, STEP_COST, deadline);
    try {
      while (result?.kind === 'working') result = await this.#call({ kind: 'step', number }, STEP_COST, deadline);
      return result;
    } catch (error) {
      this.#parts.thread.call({ kind: 'cancel', number }).catch(() => undefined);
      throw error;
    }
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    // If it fails, the thread is gone, and the table with it.
    this.#parts.thread.call({ kind: 'drop', table: this.#table }).catch(() => undefined);
  }

  /** Resolves when nothing is being applied any more. */
  async settled(): Promise<void> {
    await this.#catchingUp;
  }

  #isAtLeast({ generation, revision }: RecordVersion): boolean {
    const issued = this.#cursor?.issued;
    return issued !== undefined && issued.generation === generation && issued.revision >= revision;
  }

  /** Resolves when the next changes were applied. If there are more, they are applied in the background. */
  #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#applyChanges()
      // If the database is unavailable, whoever asks it next will say so.
      .catch(() => undefined)
      .finally(() => {
        this.#catchingUp = undefined;
        if (this.#isBehind && !this.#isDropped) void this.#catchUp();
      });
    return this.#catchingUp;
  }

  async #applyChanges(): Promise<void> {
    const { account, resource } = this;
    const plan = { resource, fields: resource.fields, where: undefined, limit: CHANGES_AT_ONCE, cursor: this.#cursor };
    const next = await this.#parts.changes.after({ account }, plan);
    if (next === 'cursor expired' || next === 'no access') return this.drop();
    const { changes, count, more, cursor } = next;
    const version = more ? undefined : next.version;
    await this.#store({ kind: 'apply', table: this.#table, changes, version }, count * RECORD_COST);
    this.#cursor = cursor;
    this.#isBehind = more;
  }

  async #store(command: ColumnCommand, cost: number): Promise<void> {
    const result = await this.#call(command, cost, NO_DEADLINE);
    if (result.kind === 'stored') this.#bytes = result.bytes;
    this.#parts.onStored(this);
  }

  /** When it is the account's turn. If the thread fails, the table is lost or incomplete. */
  #call(command: ColumnCommand, cost: number, deadline: Deadline): Promise<ColumnResult> {
    return this.#parts.queue.run({ account: this.account, cost, deadline }, async () => {
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
