/** Rate limits as commands name them. In the store, null is the default, and 0 is unlimited. */

import { CommandError } from './command-error.ts';
import { withSeparators } from './output.ts';

/** The maximum of --rate-limit as well. */
const MAX_RATE_LIMIT = 999_999_999;

/** `origin` begins the message about a limit that is not valid. */
export function readKeyLimit(origin: string, text: string): number | null {
  if (text === 'default') return null;
  if (text === 'unlimited') return 0;
  return readNumber(origin, text, 'unlimited or default', 'To refuse all requests of a key, revoke it.');
}

/** An account is unlimited unless it has a limit. */
export function readAccountLimit(text: string): number | null {
  if (text === 'unlimited') return null;
  return readNumber('The limit', text, 'or unlimited', 'To refuse all requests of an account, revoke its keys.');
}

function readNumber(origin: string, text: string, words: string, instead: string): number {
  const number = /^-?\d+$/.test(text) ? Number(text) : undefined;
  if (number === undefined)
    throw new CommandError(`${origin} must be a whole number of requests per second, ${words}, not "${text}".`, 2);
  if (number < 1) throw new CommandError(`${origin} must be at least 1, ${words}, not ${text}. ${instead}`, 2);
  if (number <= MAX_RATE_LIMIT) return number;
  throw new CommandError(`${origin} must be at most ${withSeparators(MAX_RATE_LIMIT)}, ${words}, not ${text}.`, 2);
}

export function showKeyLimit(rateLimit: number | null): string {
  return rateLimit === null ? 'default' : showAccountLimit(rateLimit);
}

export function showAccountLimit(rateLimit: number | null): string {
  return rateLimit ? `${rateLimit}/s` : 'unlimited';
}
