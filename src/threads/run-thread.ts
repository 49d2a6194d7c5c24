/** Runs inside a thread: executes commands one by one, and posts the outcome of each. */

import { type MessagePort, parentPort } from 'node:worker_threads';
import type { CommandMessage, ResultMessage } from './messages.ts';

export interface CommandHandler<Command, Result> {
  execute(command: Command): Result;
  /** The memory of a result that the serving thread takes over instead of copying it. */
  transferred?(result: Result): readonly ArrayBuffer[];
  /** Called before the thread ends. */
  close(): void;
}

/** `open` is called at the first command. `failureOf` converts an error to something that can be posted. */
export function runThread<Command, Result, Failure>(
  open: () => CommandHandler<Command, Result>,
  failureOf: (error: unknown) => Failure,
): void {
  const port = requirePort();
  let handler: CommandHandler<Command, Result> | undefined;
  const execute = (command: Command): ResultMessage<Result, Failure>['outcome'] => {
    try {
      handler ??= open();
      return { isDone: true, result: handler.execute(command) };
    } catch (error) {
      return { isDone: false, failure: failureOf(error) };
    }
  };
  port.on('message', ({ number, command }: CommandMessage<Command>) => {
    const post = (outcome: ResultMessage<Result, Failure>['outcome']) => {
      const result = outcome.isDone ? outcome.result : undefined;
      port.postMessage({ number, outcome }, result === undefined ? [] : handler?.transferred?.(result));
    };
    if (command !== undefined) {
      post(execute(command));
      return;
    }
    handler?.close();
    post({ isDone: true, result: undefined });
    // The port has to deliver the message first.
    setImmediate(() => port.close());
  });
}

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs in a thread of its own');
  return parentPort;
}
