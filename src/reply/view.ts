/** Saved views. */

import type { SavedView, ViewList, ViewSaved } from '../store/store.ts';
import { entityTag, readRecordTag, type TagOwner } from './entity-tag.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

const VIEWS_PATH = '/api/v1/views';

export function viewListReply(owner: TagOwner, { views, version }: ViewList): TextReply {
  const data = views.map((view) => members(owner, view));
  return jsonReply(200, cacheable(tagAt(owner, version)), JSON.stringify({ data, meta: { count: data.length } }));
}

export function viewReply(owner: TagOwner, view: SavedView): TextReply {
  return jsonReply(200, cacheable(viewTag(owner, view)), JSON.stringify({ data: members(owner, view) }));
}

export function savedViewReply(owner: TagOwner, { view, isNew }: ViewSaved): TextReply {
  const headers = { etag: viewTag(owner, view), 'cache-control': 'no-store' };
  const body = JSON.stringify({ data: members(owner, view) });
  return isNew
    ? jsonReply(201, { ...headers, location: `${VIEWS_PATH}/${view.id}` }, body)
    : jsonReply(200, headers, body);
}

export function viewTag(owner: TagOwner, { version }: SavedView): string {
  return tagAt(owner, version);
}

/** The versions of views that tags name. */
export function readViewTags(owner: TagOwner, tags: readonly string[]): readonly number[] {
  return tags.flatMap((tag) => readRecordTag(owner, tag)?.generation ?? []);
}

/** A version of views is random, like a generation, so it needs no revision. */
function tagAt(owner: TagOwner, version: number): string {
  return entityTag(owner, { generation: version, revision: 0 });
}

function members(owner: TagOwner, view: SavedView): object {
  const { id, name, resource, query, isFirstPage, savedAt } = view;
  return { id, name, resource, query, isFirstPage, savedAt, etag: viewTag(owner, view) };
}
