/** What all mirrors have in common as commands. */

import { StockbookError } from '../../client/index.ts';
import { isResourceName, NotEmpty, OtherMirror, type ResourceName } from '../../connectors/mirror/account.ts';
import type { Progress } from '../../connectors/mirror/mirror-log.ts';
import { type Clock, systemClock } from '../../schedule/clock.ts';
import { CommandError } from '../command-error.ts';
import { EventLog } from '../event-log.ts';
import { abortWhenInterrupted, exitWhenInterrupted } from '../interruption.ts';
import { printResult } from '../output.ts';
import { ProgressReport } from '../progress.ts';
import { RESOURCE_NAMES } from '../resources.ts';

/** A class of errors. */
type ErrorClass = abstract new (...args: never[]) => Error;

/** What a mirror gets from the command: where it says what it does, and when it has to end. */
export interface MirrorRun {
  readonly log: EventLog;
  readonly onProgress: (resource: string, progress: Progress) => void;
  /** Prints what the command was run for. */
  readonly result: (text: string) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface RunOptions {
  /** Whether it runs until it is interrupted, which is no failure then. */
  readonly isEndless: boolean;
  /** Errors that become messages. */
  readonly expected: readonly ErrorClass[];
}

export async function runMirror(
  { isEndless, expected }: RunOptions,
  body: (run: MirrorRun) => Promise<void>,
): Promise<void> {
  const report = new ProgressReport();
  // One that ends by itself can be killed at any time, so there is nothing to wait for.
  const { signal, end } = isEndless
    ? abortWhenInterrupted()
    : { signal: new AbortController().signal, end: exitWhenInterrupted(report) };
  try {
    await body({
      log: new EventLog(() => report.end()),
      onProgress(resource, { done, total }) {
        if (total > 0)
          report.show({ activity: `Reading ${resource}`, rows: done, total, fraction: Math.min(1, done / total) });
      },
      result(text) {
        report.end();
        printResult(text);
      },
      signal,
      clock: systemClock,
    });
  } catch (error) {
    if (signal.aborted) return;
    const isExpected = [StockbookError, OtherMirror, NotEmpty, ...expected].some((one) => error instanceof one);
    if (isExpected && error instanceof Error) throw new CommandError(error.message);
    throw error;
  } finally {
    report.end();
    end();
  }
}

export function warnOfExpiry(log: EventLog, flag: string): (expiresAt: Date) => void {
  return (time) => log.warning(`The key in ${flag} expires at ${time.toISOString()}. Issue another one.`);
}

export const RESOURCES_HELP = `which of ${RESOURCE_NAMES.join(', ')}, separated by commas; all by default`;

/** The value of an option that takes a list, and may be repeated. */
export function listed(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').map((item) => item.trim())];
}

/** All of them if none is named. */
export function checkedResources(names: readonly string[] = RESOURCE_NAMES): readonly ResourceName[] {
  return [...new Set(names)].map((name) => {
    if (isResourceName(name)) return name;
    throw new CommandError(`--resource must be one of ${RESOURCE_NAMES.join(', ')}, not "${name}".`, 2);
  });
}
