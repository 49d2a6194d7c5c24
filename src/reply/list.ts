/** A page of records as the response to a list request: exactly the members that the contract defines. */

import { rowsOnPage } from '../plan/page.ts';
import type { ListPlan } from '../plan/plan.ts';
import type { Page } from '../store/store.ts';
import { type CompleteReply, cacheable, jsonReply } from './reply.ts';

export function listReply(found: Page, { page, limit, explained }: ListPlan, tag: string): CompleteReply {
  const { records, total } = found;
  const totalPages = Math.ceil(total / limit);
  const conditions = explained?.map(({ text }, index) => ({ filter: text, ...found.explained?.[index] }));
  const meta = { count: rowsOnPage({ page, limit }, total), total, ...(conditions && { conditions }) };
  const pagination = {
    previousPage: page === 1 || totalPages === 0 ? null : Math.min(page - 1, totalPages),
    currentPage: page,
    nextPage: page < totalPages ? page + 1 : null,
    totalPages,
  };
  const start = '{"data":[';
  const end = `],"meta":${JSON.stringify(meta)},"pagination":${JSON.stringify(pagination)}}`;
  const body = typeof records === 'string' ? start + records + end : [Buffer.from(start), ...records, Buffer.from(end)];
  return jsonReply(200, cacheable(tag), body);
}
