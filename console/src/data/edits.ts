/** Requests that change, remove and restore single records. Repeated with the same idempotency key, they have one effect. */

import { Connection, StockbookError } from '@stockbook/client';
import { quote } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Session } from '../session/session.ts';
import { RETRIES } from './attempts.ts';
import {
  isMissingRecord,
  type RecordValues,
  readRecord,
  recordsOf,
  type TaggedRecord,
  tagIn,
  type Value,
} from './records.ts';

export type Patch = Readonly<Record<string, Value>>;

/** The record is not as it was when it was read. Null if it does not exist any more. */
export interface Changed {
  readonly kind: 'changed';
  readonly record: TaggedRecord | null;
}

export type Edited = { readonly kind: 'saved'; readonly record: TaggedRecord } | Changed;
export type Removed = { readonly kind: 'removed' } | Changed;

export interface Edit {
  readonly resource: Resource;
  /** As it was read. */
  readonly record: TaggedRecord;
  readonly idempotencyKey: string;
}

export function updateRecord(session: Session, edit: Edit, patch: Patch): Promise<Edited> {
  return unlessChanged(session, edit, async () => {
    const connection = connectionFor('PATCH', session);
    const { body, headers } = await connection.json<{ readonly data: RecordValues }>({ ...callOf(edit), body: patch });
    if (body === undefined) throw new Error('a record that was changed is in the response');
    return { kind: 'saved', record: { data: body.data, etag: tagIn(headers) } };
  });
}

export function removeRecord(session: Session, edit: Edit): Promise<Removed> {
  return unlessChanged(session, edit, async () => {
    // The response has no body that could be parsed.
    await connectionFor('DELETE', session).stream(callOf(edit));
    return { kind: 'removed' };
  });
}

/** With its id and all its values. If somebody else has restored it already, it stays as it is. */
export async function restoreRecord(
  { connection }: Session,
  { resource, record: { data }, idempotencyKey }: Edit,
): Promise<TaggedRecord> {
  const { id } = data;
  const { meta } = await recordsOf(connection, resource).list({ filter: `id=${id}`, fields: ['id'], limit: 1 });
  if (meta.total === 0) {
    const headers = keyHeader(idempotencyKey);
    await connection.body({ path: `${resource.path}/import`, headers, body: [data], retries: RETRIES });
  }
  return (await readRecord(connection, resource, id)) ?? { data, etag: undefined };
}

function callOf({ resource, record, idempotencyKey }: Edit) {
  const { data, etag } = record;
  return {
    path: `${resource.path}/${data.id}`,
    headers: { ...keyHeader(idempotencyKey), ...(etag !== undefined && { 'if-match': etag }) },
    retries: RETRIES,
  };
}

/** A string as in RFC 8941, which is written as the filter language writes text. */
function keyHeader(key: string): Readonly<Record<string, string>> {
  return { 'idempotency-key': quote(key) };
}

async function unlessChanged<Done>(
  { connection }: Session,
  { resource, record }: Edit,
  send: () => Promise<Done>,
): Promise<Done | Changed> {
  try {
    return await send();
  } catch (error) {
    if (isMissingRecord(error)) return { kind: 'changed', record: null };
    if (!(error instanceof StockbookError) || error.code !== 'record_changed') throw error;
    return { kind: 'changed', record: (await readRecord(connection, resource, record.data.id)) ?? null };
  }
}

/** The client sends GET and POST; the rest of what it does for a request is the same. */
function connectionFor(method: 'PATCH' | 'DELETE', { key, exchanges }: Session): Connection {
  const send: typeof fetch = (input, init) => exchanges.fetch(input, { ...init, method });
  return new Connection({ url: location.origin, key, fetch: send });
}
