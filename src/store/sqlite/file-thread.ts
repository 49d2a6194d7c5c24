/** Threads that work on the database file: how they are started, and what they do first. */

import { workerData } from 'node:worker_threads';
import { type CommandHandler, runThread } from '../../threads/run-thread.ts';
import { siblingModule, Thread } from '../../threads/thread.ts';
import type { Written } from './errors.ts';
import { errorOf, type Failure, failureOf } from './failures.ts';
import { FileGuard, type FileIdentity } from './file-guard.ts';
import type { FileHealth } from './file-health.ts';

export type FileThread<Command, Result> = Thread<Command, Result, Failure>;

/** The thread's module is a sibling of this one. */
export function startFileThread<Command, Result>(module: string, file: FileHealth): FileThread<Command, Result> {
  return new Thread({
    module: siblingModule(import.meta.url, module),
    data: file.identity,
    errorOf: (failure) => file.explain(errorOf(failure)),
  });
}

/** Called by the thread's module. `open` is called with the file at the first command. `written` is what its commands write to. */
export function runFileThread<Command, Result>(
  open: (file: FileGuard) => CommandHandler<Command, Result>,
  written: Written,
): void {
  const identity: FileIdentity = workerData;
  const file = new FileGuard(identity);
  runThread(
    () => open(file),
    (error) => failureOf(error, identity.path, written),
  );
}
