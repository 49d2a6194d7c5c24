/** One record, found or just created. */

import { apiPath, type Resource } from '../catalog/resource.ts';
import type { Created, Found } from '../store/store.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

export function recordReply({ record }: Found, tag: string): TextReply {
  return jsonReply(200, cacheable(tag), `{"data":${record}}`);
}

export function createdReply(resource: Resource, { id }: Created): TextReply {
  return jsonReply(201, { location: `${apiPath(resource)}/${id}` }, JSON.stringify({ data: { id } }));
}
