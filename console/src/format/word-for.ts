/** Words for values that do not speak for themselves. Wherever the console shows one, it uses the same word. */

import type { Value } from '../data/records.ts';

export function wordFor(value: boolean | null): string;
/** Undefined for values that need no word. */
export function wordFor(value: Value): string | undefined;
export function wordFor(value: Value): string | undefined {
  if (value === null) return 'not set';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  // In quotes, as in a filter: nobody would see it otherwise.
  return typeof value === 'string' && value.trim() === '' ? `"${value}"` : undefined;
}
