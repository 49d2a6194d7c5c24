/** The currency of an account, as commands name it. In the store, null is none. */

import { CommandError } from './command-error.ts';

/** `origin` begins the message about a currency that is not valid. */
export function readCurrency(origin: string, text: string): string | null {
  if (text === 'none') return null;
  const code = text.toUpperCase();
  if (Intl.supportedValuesOf('currency').includes(code)) return code;
  throw new CommandError(`${origin} must be a code of ISO 4217, such as EUR, or none, not "${text}".`, 2);
}

export function showCurrency(currency: string | null): string {
  return currency ?? 'none';
}
