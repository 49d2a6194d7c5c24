/** One record, found or just created. */

import { apiPath, type Resource } from '../catalog/resource.ts';
import type { Created, Found } from '../store/store.ts';
import { cacheable, enclosed, jsonReply, type Reply } from './reply.ts';

export function recordReply({ record }: Found, tag: string): Reply {
  return jsonReply(200, cacheable(tag), enclosed('{"data":', record, '}'));
}

export function createdReply(resource: Resource, { id }: Created): Reply {
  return jsonReply(201, { location: `${apiPath(resource)}/${id}` }, JSON.stringify({ data: { id } }));
}
