/** Runs inside a thread: executes orders one by one, and posts the outcome of each. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { failureOf, type OrderMessage, type ResultMessage, type ThreadOutcome } from './thread-messages.ts';

export interface Host<Order, Result> {
  execute(order: Order): Result;
  /** Called before the thread ends. */
  close(): void;
}

/** `open` is called with the path of the database at the first order. */
export function hostThread<Order, Result>(open: (path: string) => Host<Order, Result>): void {
  const port = requirePort();
  const path = String(workerData);
  let host: Host<Order, Result> | undefined;
  const execute = (order: Order): ThreadOutcome<Result> => {
    try {
      host ??= open(path);
      return { kind: 'done', result: host.execute(order) };
    } catch (error) {
      return failureOf(error, path);
    }
  };
  port.on('message', ({ number, order }: OrderMessage<Order>) => {
    const post = (outcome: ResultMessage<Result>['outcome']) => port.postMessage({ number, outcome });
    if (order !== undefined) {
      post(execute(order));
      return;
    }
    host?.close();
    post({ kind: 'done', result: undefined });
    // The port has to deliver the message first.
    setImmediate(() => port.close());
  });
}

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs in a thread of its own');
  return parentPort;
}
