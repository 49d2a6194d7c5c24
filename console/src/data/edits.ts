/** Requests that change, remove and restore single records. Repeated with the same idempotency key, they have one effect. */

import { StockbookError } from '@stockbook/client';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Session } from '../session/session.ts';
import { RETRIES } from './attempts.ts';
import { type Records, readRecord, recordsOf, type TaggedRecord, type Value } from './records.ts';

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

export function updateRecord({ connection }: Session, edit: Edit, patch: Patch): Promise<Edited> {
  const records = recordsOf(connection, edit.resource);
  return unlessChanged(records, edit, async (id, options) => {
    return { kind: 'saved', record: await records.update(id, patch, options) };
  });
}

export function removeRecord({ connection }: Session, edit: Edit): Promise<Removed> {
  const records = recordsOf(connection, edit.resource);
  return unlessChanged(records, edit, async (id, options) => {
    await records.remove(id, options);
    return { kind: 'removed' };
  });
}

/** With its id and all its values. If somebody else has restored it already, it stays as it is. */
export async function restoreRecord(
  { connection }: Session,
  { resource, record: { data }, idempotencyKey }: Edit,
): Promise<TaggedRecord> {
  const { id } = data;
  const records = recordsOf(connection, resource);
  const { meta } = await records.list({ filter: `id=${id}`, fields: ['id'], limit: 1 });
  if (meta.total === 0) await records.import([data], { idempotencyKey, retries: RETRIES });
  return (await readRecord(records, id)) ?? { data, etag: undefined };
}

async function unlessChanged<Done>(
  records: Records,
  { record: { data, etag }, idempotencyKey }: Edit,
  send: (id: number, options: Parameters<Records['remove']>[1]) => Promise<Done>,
): Promise<Done | Changed> {
  try {
    return await send(data.id, { ...(etag !== undefined && { ifMatch: etag }), idempotencyKey, retries: RETRIES });
  } catch (error) {
    if (!(error instanceof StockbookError)) throw error;
    if (error.code === 'record_not_found') return { kind: 'changed', record: null };
    if (error.code !== 'record_changed') throw error;
    return { kind: 'changed', record: (await readRecord(records, data.id)) ?? null };
  }
}
