/** A page of records as the answer to a list request: exactly the keys that the contract names. */

import { rowsOnPage } from '../plan/page.ts';
import type { ListPlan } from '../plan/plan.ts';
import type { Page } from '../store/store.ts';
import { cacheable, enclosed, jsonReply, type Reply } from './reply.ts';

export function listReply({ records, total }: Page, { page, limit }: ListPlan, tag: string): Reply {
  const totalPages = Math.ceil(total / limit);
  const meta = { count: rowsOnPage({ page, limit }, total), total };
  const pagination = {
    previousPage: page === 1 || totalPages === 0 ? null : Math.min(page - 1, totalPages),
    currentPage: page,
    nextPage: page < totalPages ? page + 1 : null,
    totalPages,
  };
  const tail = `],"meta":${JSON.stringify(meta)},"pagination":${JSON.stringify(pagination)}}`;
  return jsonReply(200, cacheable(tag), enclosed('{"data":[', records, tail));
}
