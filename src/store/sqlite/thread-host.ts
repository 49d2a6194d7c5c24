/** The inside of a thread: takes orders, and answers each with its result or with what went wrong. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { isOfSqlite, translated } from './errors.ts';
import type { Answer, NumberedOrder, Outcome } from './thread.ts';

export interface Host<Order, Result> {
  /** `answer` may be called later; what its body throws is told to whoever ordered. */
  take(order: Order, answer: (body: () => Result) => void): void;
  /** Before the thread ends. */
  close(): void;
}

/** `open` gets the path of the database. */
export function hostThread<Order, Result>(open: (path: string) => Host<Order, Result>): void {
  const port = requirePort();
  const path = String(workerData);
  let opened: Host<Order, Result> | undefined;
  let answers: Answer<Result>[] = [];
  /** What is answered at once goes in one message. */
  const send = (answer: Answer<Result>) => {
    if (answers.push(answer) > 1) return;
    queueMicrotask(() => {
      port.postMessage(answers);
      answers = [];
    });
  };
  port.on('message', ({ number, order }: NumberedOrder<Order>) => {
    const answer = (body: () => Result | undefined) => {
      send({ number, outcome: outcomeOf(body, path) });
    };
    if (order !== undefined) {
      try {
        opened ??= open(path);
        opened.take(order, answer);
      } catch (error) {
        answer(() => {
          throw error;
        });
      }
      return;
    }
    opened?.close();
    answer(() => undefined);
    // The port has to carry the answer first.
    setImmediate(() => port.close());
  });
}

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs in a thread of its own');
  return parentPort;
}

function outcomeOf<Result>(body: () => Result | undefined, path: string): Outcome<Result> {
  try {
    return { kind: 'done', result: body() };
  } catch (cause) {
    const error = translated(cause, path);
    if (error instanceof StoreUnavailable) return { kind: 'unavailable', reason: error.reason, message: error.message };
    if (error instanceof UnusableDatabase) return { kind: 'unusable', message: error.message };
    if (isOfSqlite(error)) return { kind: 'refused', error };
    return { kind: 'failed', error };
  }
}
