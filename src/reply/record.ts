/** One record, found or just created. */

import { apiPath, type Resource } from '../catalog/resource.ts';
import type { CreatedRecord } from '../store/store.ts';
import { cacheable, jsonReply, type Reply, type TextReply } from './reply.ts';

export function recordReply(record: string, tag: string): TextReply {
  return { ...jsonReply(200, cacheable(tag), `{"data":${record}}`), rows: 1 };
}

/** A record as it is after a change. */
export function changedReply(record: string, tag: string): TextReply {
  return { ...jsonReply(200, { etag: tag, 'cache-control': 'no-store' }, `{"data":${record}}`), rows: 1 };
}

/** A replayed response differs in one header from the original. */
export function createdReply(resource: Resource, { id, isReplayed }: CreatedRecord): TextReply {
  const reply = jsonReply(201, { location: `${apiPath(resource)}/${id}` }, JSON.stringify({ data: { id } }));
  return isReplayed ? replayed(reply) : reply;
}

export function removedReply(): Reply {
  return { status: 204, headers: {} };
}

/** The reply to a request that repeats an earlier one, which had the same idempotency key. */
export function replayed<Replayed extends Reply>(reply: Replayed): Replayed {
  return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
}
