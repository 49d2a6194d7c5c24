/**
 * The thread that writes. Writes that arrive while others are being made durable wait, and are then made durable
 * together: one transaction, one wait for the disk, and each is answered only after it.
 */

import type { StagedRow, Staging, WriteResult } from '../sql/engine.ts';
import type { Statement } from '../sql/statement.ts';
import { Connection } from './connection.ts';
import { isBusy } from './errors.ts';
import { KnownSchema } from './migrate.ts';
import { type Packed, unpack } from './packed.ts';
import { type Host, hostThread } from './thread-host.ts';

export type WriteOrder =
  | { readonly kind: 'write'; readonly statements: readonly Packed[] }
  | { readonly kind: 'stage'; readonly staging: Pick<Staging, 'table' | 'columns'> }
  | { readonly kind: 'add rows'; readonly table: string; readonly rows: readonly StagedRow[] }
  | { readonly kind: 'unstage'; readonly table: string };

type Write = Extract<WriteOrder, { kind: 'write' }>;
type Answer = (body: () => WriteResult) => void;

interface Waiting {
  readonly statements: readonly Statement[];
  readonly answer: Answer;
}

const DONE: WriteResult = { written: true, rows: [] };

class WriterHost implements Host<WriteOrder, WriteResult> {
  readonly #connection: Connection;
  readonly #schema: KnownSchema;
  #waiting: Waiting[] = [];
  /** Who is to be told that another process holds the write lock. */
  #inVain: Answer[] | undefined;

  constructor(path: string) {
    this.#connection = new Connection(path);
    this.#schema = new KnownSchema(this.#connection, path);
  }

  take(order: WriteOrder, answer: Answer): void {
    if (order.kind !== 'write') {
      answer(() => this.#prepare(order));
      return;
    }
    if (this.#inVain !== undefined) {
      this.#inVain.push(answer);
      return;
    }
    // All that was sent by now is delivered before setImmediate has its turn, so it joins this transaction.
    if (this.#waiting.length === 0) setImmediate(() => this.#commit());
    this.#waiting.push({ statements: unpack(order.statements), answer });
  }

  close(): void {
    this.#commit();
    this.#connection.close();
  }

  #commit(): void {
    const writes = this.#waiting;
    if (writes.length === 0) return;
    this.#waiting = [];
    if (writes.length > 1 && this.#writeTogether(writes)) return;
    for (const write of writes) this.#writeAlone(write);
  }

  /** False where one of them has to be given up: then each has a transaction of its own. */
  #writeTogether(writes: readonly Waiting[]): boolean {
    try {
      const result = this.#write(writes.flatMap(({ statements }) => statements));
      if (!result.written) return false;
      for (const { write, result: own } of toldApart(writes, result)) write.answer(() => own);
    } catch (error) {
      // Each of them would wait for the lock as long again.
      if (!isBusy(error)) return false;
      this.#giveUp(
        error,
        writes.map(({ answer }) => answer),
      );
    }
    return true;
  }

  #writeAlone({ statements, answer }: Waiting): void {
    if (this.#inVain !== undefined) {
      this.#inVain.push(answer);
      return;
    }
    try {
      const result = this.#write(statements);
      answer(() => result);
    } catch (error) {
      if (isBusy(error)) this.#giveUp(error, [answer]);
      else answer(() => raise(error));
    }
  }

  #write(statements: readonly Statement[]): WriteResult {
    // The lock may have been waited for while a newer program migrated the file.
    return this.#connection.write(statements, () => this.#schema.state());
  }

  /** What was sent meanwhile has waited for the lock too, and would wait as long again: it is delivered before setImmediate has its turn. */
  #giveUp(error: unknown, answers: readonly Answer[]): void {
    const inVain = [...answers];
    this.#inVain = inVain;
    setImmediate(() => {
      this.#inVain = undefined;
      for (const answer of inVain) answer(() => raise(error));
    });
  }

  #prepare(order: Exclude<WriteOrder, Write>): WriteResult {
    switch (order.kind) {
      case 'stage':
        this.#connection.createTemporaryTable(order.staging.table, order.staging.columns);
        return DONE;
      case 'add rows':
        this.#connection.insert(order.table, order.rows);
        return DONE;
      case 'unstage':
        this.#connection.execute(`DROP TABLE temp.${order.table}`);
        return DONE;
    }
  }
}

/** Each with its part of the rows that the statements of all of them returned. */
function toldApart(
  writes: readonly Waiting[],
  { rows }: WriteResult,
): readonly { readonly write: Waiting; readonly result: WriteResult }[] {
  let taken = 0;
  return writes.map((write) => {
    const from = taken;
    taken += write.statements.length;
    return { write, result: { written: true, rows: rows.slice(from, taken) } };
  });
}

function raise(error: unknown): never {
  throw error;
}

hostThread((path) => new WriterHost(path));
