/** What all mirrors have in common as commands. */

import { StockbookError } from '../../client/index.ts';
import { NotEmpty, OtherMirror, PATHS, type ResourceName } from '../../connectors/mirror/account.ts';
import { CommandError } from '../command-error.ts';
import type { EventLog } from '../event-log.ts';
import { abortWhenInterrupted } from '../interruption.ts';
import { RESOURCE_NAMES } from '../resources.ts';

/** A class of errors. */
type ErrorClass = abstract new (...args: never[]) => Error;

/** Errors that are expected become messages. An interruption is none. */
export async function untilInterrupted(
  expected: readonly ErrorClass[],
  body: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal, end } = abortWhenInterrupted();
  try {
    await body(signal);
  } catch (error) {
    if (signal.aborted) return;
    const isExpected = [StockbookError, OtherMirror, NotEmpty, ...expected].some((one) => error instanceof one);
    if (isExpected && error instanceof Error) throw new CommandError(error.message);
    throw error;
  } finally {
    end();
  }
}

export function warnOfExpiry(log: EventLog, flag: string): (expiresAt: Date) => void {
  return (time) => log.warning(`The key in ${flag} expires at ${time.toISOString()}. Issue another one.`);
}

export function checkedResource(name: string): ResourceName {
  if (isResourceName(name)) return name;
  throw new CommandError(`--resource must be one of ${RESOURCE_NAMES.join(', ')}, not "${name}".`, 2);
}

function isResourceName(name: string): name is ResourceName {
  return Object.hasOwn(PATHS, name);
}
