/** `page` and `limit`: plain digits within bounds, never cut down in silence. */

import { mention } from '../problem/mention.ts';
import { Problem } from '../problem/problem.ts';
import type { PageOfList } from './plan.ts';

export const DEFAULT_PAGE = 1;
export const DEFAULT_LIMIT = 10;

/** The most records on one page. */
export const MAX_LIMIT = 1_000;

/** The last page number that every JSON reader takes exactly. */
export const MAX_PAGE = Number.MAX_SAFE_INTEGER;

export function planPage(text: string): number | Problem {
  return (
    wholeNumber(text, MAX_PAGE) ??
    new Problem('invalid_page', `${mention(text)} is not a whole number from 1 to ${MAX_PAGE}.`, {
      parameter: 'page',
      suggestion: `Pages are counted from ${DEFAULT_PAGE}; pagination.totalPages of any page tells how many there are.`,
      ...(/^0+$/.test(text) && { repaired: { page: String(DEFAULT_PAGE) } }),
    })
  );
}

export function planLimit(text: string): number | Problem {
  return (
    wholeNumber(text, MAX_LIMIT) ??
    new Problem('invalid_limit', `${mention(text)} is not a whole number from 1 to ${MAX_LIMIT}.`, {
      parameter: 'limit',
      suggestion: isLarger(text, MAX_LIMIT)
        ? `Ask for at most ${MAX_LIMIT} records at once, and for the rest with page=2 and so on.`
        : `Leave it out for ${DEFAULT_LIMIT} records.`,
      ...(isLarger(text, MAX_LIMIT) && { repaired: { limit: String(MAX_LIMIT) } }),
    })
  );
}

/** How many records come before the page. */
export function offsetOf({ page, limit }: PageOfList): number {
  return (page - 1) * limit;
}

/** How many of so many records are on the page. */
export function rowsOnPage(page: PageOfList, total: number): number {
  return Math.max(0, Math.min(page.limit, total - offsetOf(page)));
}

function wholeNumber(text: string, max: number): number | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return number >= 1 && number <= max ? number : undefined;
}

function isLarger(text: string, max: number): boolean {
  return /^[0-9]+$/.test(text) && Number(text) > max;
}
