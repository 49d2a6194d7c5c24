/** A list as a stream. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { planExport } from '../plan/list.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag } from '../reply/entity-tag.ts';
import { checkRows, exportReply, streamNeedsChunks } from '../reply/export.ts';
import { notModified } from '../reply/reply.ts';
import type { StreamFormat } from '../request/accept.ts';
import { EXPORT_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { foundHint } from './found-hint.ts';
import { type Call, callerOf, currentResponses, type Outcome } from './handler.ts';

/** The same list as lines or as a workbook: all of it, unless a page is requested. */
export async function exportList(call: Call, resource: Resource, format: StreamFormat): Promise<Outcome> {
  const { request, session, timing, observed } = call;
  const query = readQuery(request.target.query, EXPORT_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planExport(resource, query, format);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  observed.filter = plan.filter;
  if (request.httpVersion === '1.0') return streamNeedsChunks();
  const current = await currentResponses(call, resource);
  if (current === 'no access') return current;
  const tag = entityTag(session, current.version, format);
  const unchanged = notModified(request.headers['if-none-match'], tag);
  if (unchanged !== undefined) return unchanged;
  const tooCostly = checkFilterCost(plan, current.version.rows);
  if (tooCostly !== undefined) return tooCostly;
  const opened = await call.service.exports.open(
    session.account.id,
    () => call.service.store.records.export(callerOf(call), plan),
    (error) => call.service.emit({ kind: 'stream aborted', requestId: request.id, error }),
  );
  timing.end('store');
  if (opened instanceof Problem || opened === 'no access') return opened;
  const tooMany = checkRows(opened.rows, plan);
  if (tooMany !== undefined) {
    await opened.close();
    return tooMany;
  }
  observed.totalSource = opened.source;
  try {
    const hint = await foundHint(call, plan, query.values, opened.total, opened.version);
    return exportReply(opened, plan, query.values, entityTag(session, opened.version, format), hint);
  } catch (error) {
    await opened.close();
    throw error;
  }
}
