/** Runs inside a thread: executes commands one by one, and posts the outcome of each. */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { FileGuard, type FileIdentity } from './file-guard.ts';
import { type CommandMessage, failureOf, type ResultMessage, type ThreadOutcome } from './thread-messages.ts';

export interface CommandHandler<Command, Result> {
  execute(command: Command): Result;
  /** The memory of a result that the serving thread takes over instead of copying it. */
  transferred?(result: Result): readonly ArrayBuffer[];
  /** Called before the thread ends. */
  close(): void;
}

/** `open` is called with the database file at the first command. */
export function runThread<Command, Result>(open: (file: FileGuard) => CommandHandler<Command, Result>): void {
  const port = requirePort();
  const identity: FileIdentity = workerData;
  const file = new FileGuard(identity);
  let handler: CommandHandler<Command, Result> | undefined;
  const execute = (command: Command): ThreadOutcome<Result> => {
    try {
      handler ??= open(file);
      return { kind: 'done', result: handler.execute(command) };
    } catch (error) {
      return failureOf(error, identity.path);
    }
  };
  port.on('message', ({ number, command }: CommandMessage<Command>) => {
    const post = (outcome: ResultMessage<Result>['outcome']) => {
      const result = outcome.kind === 'done' ? outcome.result : undefined;
      port.postMessage({ number, outcome }, result === undefined ? [] : handler?.transferred?.(result));
    };
    if (command !== undefined) {
      post(execute(command));
      return;
    }
    handler?.close();
    post({ kind: 'done', result: undefined });
    // The port has to deliver the message first.
    setImmediate(() => port.close());
  });
}

function requirePort(): MessagePort {
  if (parentPort === null) throw new Error('this module runs in a thread of its own');
  return parentPort;
}
