/** Saved views. */

import type { Account, SavedView, ViewList, ViewSaved } from '../store/store.ts';
import { entityTag, readRecordTag } from './entity-tag.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

const VIEWS_PATH = '/api/v1/views';

export function viewListReply(account: Account, { views, version }: ViewList): TextReply {
  const data = views.map((view) => members(account, view));
  return jsonReply(200, cacheable(tagAt(account, version)), JSON.stringify({ data, meta: { count: data.length } }));
}

export function viewReply(account: Account, view: SavedView): TextReply {
  return jsonReply(200, cacheable(viewTag(account, view)), JSON.stringify({ data: members(account, view) }));
}

export function savedViewReply(account: Account, { view, isNew }: ViewSaved): TextReply {
  const headers = { etag: viewTag(account, view), 'cache-control': 'no-store' };
  const body = JSON.stringify({ data: members(account, view) });
  return isNew
    ? jsonReply(201, { ...headers, location: `${VIEWS_PATH}/${view.id}` }, body)
    : jsonReply(200, headers, body);
}

export function viewTag(account: Account, { version }: SavedView): string {
  return tagAt(account, version);
}

/** The versions of views that tags name. */
export function readViewTags(account: Account, tags: readonly string[]): readonly number[] {
  return tags.flatMap((tag) => readRecordTag(account, tag)?.generation ?? []);
}

/** A version of views is random, like a generation, so it needs no revision. */
function tagAt(account: Account, version: number): string {
  return entityTag(account, { generation: version, revision: 0 });
}

function members(account: Account, view: SavedView): object {
  const { id, name, resource, query, isFirstPage, savedAt } = view;
  return { id, name, resource, query, isFirstPage, savedAt, etag: viewTag(account, view) };
}
