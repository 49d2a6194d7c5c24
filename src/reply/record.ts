/** One record, found or just created. */

import { apiPath, type Resource } from '../catalog/resource.ts';
import type { CreatedRecord, Found } from '../store/store.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

export function recordReply({ record }: Found, tag: string): TextReply {
  return { ...jsonReply(200, cacheable(tag), `{"data":${record}}`), rows: 1 };
}

/** A replayed response differs in one header from the original. */
export function createdReply(resource: Resource, { id, isReplayed }: CreatedRecord): TextReply {
  const headers = { location: `${apiPath(resource)}/${id}`, ...(isReplayed && { 'idempotent-replayed': 'true' }) };
  return jsonReply(201, headers, JSON.stringify({ data: { id } }));
}
