/** `page` and `limit`: plain digits within bounds, never clamped. */

import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Query } from '../request/parameters.ts';
import type { PageSelection } from './plan.ts';

export const DEFAULT_PAGE = 1;
export const DEFAULT_LIMIT = 10;

/** The maximum number of records on one page. */
export const MAX_LIMIT = 1_000;

/** The largest page number that every JSON reader handles exactly. */
export const MAX_PAGE = Number.MAX_SAFE_INTEGER;

export function planPageNumber(text: string): number | Problem {
  return (
    wholeNumber(text, MAX_PAGE) ??
    new Problem('invalid_page', `${quoted(text)} is not a whole number from 1 to ${MAX_PAGE}.`, {
      parameter: 'page',
      suggestion: `Pages start at ${DEFAULT_PAGE}; pagination.totalPages tells how many there are.`,
      ...(/^0+$/.test(text) && { fixed: { page: String(DEFAULT_PAGE) } }),
    })
  );
}

/** Both, each with its default. */
export function planPage({ values }: Query, defaultLimit = DEFAULT_LIMIT): PageSelection | Problem {
  const page = values.page === undefined ? DEFAULT_PAGE : planPageNumber(values.page);
  if (page instanceof Problem) return page;
  const limit = values.limit === undefined ? defaultLimit : planLimit(values.limit, defaultLimit);
  return limit instanceof Problem ? limit : { page, limit };
}

export function planLimit(text: string, defaultLimit = DEFAULT_LIMIT): number | Problem {
  return (
    wholeNumber(text, MAX_LIMIT) ??
    new Problem('invalid_limit', `${quoted(text)} is not a whole number from 1 to ${MAX_LIMIT}.`, {
      parameter: 'limit',
      suggestion: isLarger(text, MAX_LIMIT)
        ? `Request at most ${MAX_LIMIT} records at once, and the rest with further requests.`
        : `Omit it to get ${defaultLimit} records.`,
      ...(isLarger(text, MAX_LIMIT) && { fixed: { limit: String(MAX_LIMIT) } }),
    })
  );
}

/** How many records precede the page. */
export function offsetOf({ page, limit }: PageSelection): number {
  return (page - 1) * limit;
}

/** How many of `total` records are on the page. */
export function rowsOnPage(page: PageSelection, total: number): number {
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
