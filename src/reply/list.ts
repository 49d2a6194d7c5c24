/** A page of records as the response to a list request: exactly the members that the contract defines. */

import { apiPath } from '../catalog/resource.ts';
import { rowsOnPage } from '../plan/page.ts';
import type { ListPlan, PageSelection } from '../plan/plan.ts';
import type { MeantFilter } from '../plan/text-mistakes.ts';
import type { Query } from '../request/parameters.ts';
import type { Page } from '../store/store.ts';
import { hintedRequest, hintHeader } from './hint.ts';
import { type Pagination, pageLinks } from './links.ts';
import { type CompleteReply, cacheable, jsonReply } from './reply.ts';

/** `values` are the parameters of the request. */
export function listReply(
  found: Page,
  plan: ListPlan,
  values: Query['values'],
  tag: string,
  hint: MeantFilter | undefined,
): CompleteReply {
  const { records, total } = found;
  const meta = { count: rowsOnPage(plan, total), total, ...explanation(found, plan, values, hint) };
  const pagination = paginationOf(plan, total);
  const start = '{"data":[';
  const end = `],"meta":${JSON.stringify(meta)},"pagination":${JSON.stringify(pagination)}}`;
  const body = typeof records === 'string' ? start + records + end : [Buffer.from(start), ...records, Buffer.from(end)];
  const headers = {
    ...cacheable(tag, found.source),
    ...pageLinks(apiPath(plan.resource), values, pagination),
    ...hintHeader(plan, '', values, hint),
  };
  return { ...jsonReply(200, headers, body), rows: meta.count };
}

/** Conditions of the filter, and words of the search, and what was probably meant. */
function explanation({ explained = [] }: Page, plan: ListPlan, values: Query['values'], hint: MeantFilter | undefined) {
  if (plan.explained === undefined) return undefined;
  const entries = plan.explained.map(({ kind, text }, index) => ({ kind, text, counts: explained[index] }));
  const conditions = entries.filter(({ kind }) => kind === 'filter');
  const words = entries.filter(({ kind }) => kind === 'word');
  return {
    conditions: conditions.map(({ text, counts }) => ({ filter: text, ...counts })),
    ...(hint && { hint: { ...hint, request: hintedRequest(plan, '', values, hint) } }),
    ...(words.length > 0 && { words: words.map(({ text, counts }) => ({ word: text, ...counts })) }),
  };
}

export function paginationOf({ page, limit }: PageSelection, total: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return {
    previousPage: page === 1 || totalPages === 0 ? null : Math.min(page - 1, totalPages),
    currentPage: page,
    nextPage: page < totalPages ? page + 1 : null,
    totalPages,
  };
}
