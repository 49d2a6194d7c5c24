/** The thread that holds columns, as the serving thread sees it. */

import { siblingModule, Thread } from '../../../threads/thread.ts';
import type { ColumnCommand, ColumnResult } from './commands.ts';

export type ColumnThread = Thread<ColumnCommand, ColumnResult, unknown>;

export function startColumnThread(): ColumnThread {
  return new Thread({ module: siblingModule(import.meta.url, 'run-column-thread'), errorOf: (failure) => failure });
}
