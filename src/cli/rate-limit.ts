/** Rate limits as commands name them. In the store, null is the default, and 0 is unlimited. */

import { CommandError } from './command-error.ts';

/** As many digits as --rate-limit takes. */
const NUMBER = /^[1-9]\d{0,8}$/;

/** `origin` begins the message about a limit that is not valid. */
export function readKeyLimit(origin: string, text: string): number | null {
  if (text === 'default') return null;
  if (text === 'unlimited') return 0;
  if (NUMBER.test(text)) return Number(text);
  throw new CommandError(`${origin} must be a number of requests per second, unlimited or default, not "${text}".`, 2);
}

/** An account is unlimited unless it has a limit. */
export function readAccountLimit(text: string): number | null {
  if (text === 'unlimited') return null;
  if (NUMBER.test(text)) return Number(text);
  throw new CommandError(`The limit must be a number of requests per second, or unlimited, not "${text}".`, 2);
}

export function showKeyLimit(rateLimit: number | null): string {
  return rateLimit === null ? 'default' : showAccountLimit(rateLimit);
}

export function showAccountLimit(rateLimit: number | null): string {
  return rateLimit ? `${rateLimit}/s` : 'unlimited';
}
