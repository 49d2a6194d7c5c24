/**
 * The thread that writes. Writes that arrive while others are being made durable wait, and are then made durable
 * together: one transaction, one wait for the disk, and each is answered only after it.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { WriteResult } from '../sql/engine.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { Connection } from './connection.ts';
import { translated } from './errors.ts';
import type { Answer, NumberedOrder, Order, Outcome } from './writer-protocol.ts';

if (parentPort === null) throw new Error('this module runs in a thread of its own');
const port = parentPort;
const path = String(workerData);
const connection = new Connection(path);
const nothing: WriteResult = { written: true, rows: [] };

type Write = Extract<Order, { kind: 'write' }>;
let waiting: { number: number; order: Write }[] = [];

port.on('message', ({ number, order }: NumberedOrder) => {
  if (order.kind !== 'write') {
    answer(
      number,
      outcomeOf(() => follow(order)),
    );
    return;
  }
  // All that was sent by now is delivered before setImmediate has its turn, so it joins this transaction.
  if (waiting.length === 0) setImmediate(commit);
  waiting.push({ number, order });
});

function commit(): void {
  if (waiting.length === 0) return;
  const writes = waiting;
  waiting = [];
  let outcomes: readonly Outcome[];
  try {
    outcomes = connection.transaction(() =>
      writes.map(({ order }) => outcomeOf(() => connection.write(order.statements))),
    );
  } catch (error) {
    outcomes = writes.map(() => failure(error));
  }
  writes.forEach(({ number }, index) => {
    const outcome = outcomes[index];
    if (outcome !== undefined) answer(number, outcome);
  });
}

function follow(order: Exclude<Order, Write>): WriteResult {
  switch (order.kind) {
    case 'stage':
      connection.createTemporaryTable(order.staging.table, order.staging.columns);
      return nothing;
    case 'add rows':
      connection.insert(order.table, order.rows);
      return nothing;
    case 'unstage':
      connection.execute(`DROP TABLE temp.${order.table}`);
      return nothing;
    case 'close':
      commit();
      connection.close();
      // After the answer, which the port could not carry any more.
      setImmediate(() => port.close());
      return nothing;
  }
}

function outcomeOf(body: () => WriteResult): Outcome {
  try {
    return { kind: 'done', result: body() };
  } catch (error) {
    return failure(error);
  }
}

/** The class of an error does not travel between threads, so it is put in words. */
function failure(cause: unknown): Outcome {
  const error = translated(cause, path);
  if (error instanceof StoreUnavailable) return { kind: 'unavailable', reason: error.reason, message: error.message };
  if (error instanceof UnusableDatabase) return { kind: 'unusable', message: error.message };
  return { kind: 'failed', error };
}

function answer(number: number, outcome: Outcome): void {
  port.postMessage({ number, outcome } satisfies Answer);
}
