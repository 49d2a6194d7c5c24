/** The records of any resource, as the console reads them: which fields there are is known from the catalog, at run time. */

import {
  Resource as ClientResource,
  type Connection,
  CreatableResource,
  type Tagged,
  type ValueTypes,
} from '@stockbook/client';
import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';

export type Value = string | number | boolean | null;

/** Has the fields that were requested. */
export type RecordValues = { readonly [field: string]: Value } & { readonly id: number };

/** A record with all its fields, as it was at one moment. */
export type TaggedRecord = Tagged<RecordValues>;

type Types = Readonly<Record<string, keyof ValueTypes>>;
export type Records = ClientResource<RecordValues, Types>;
/** What a record is created from. */
type NewRecord = Readonly<Record<string, Value>>;

export function recordsOf(connection: Connection, resource: Resource): Records {
  return new ClientResource(connection, resource.path, fieldNames(resource));
}

/** For resources that have fields to create records from. */
export function creatableRecordsOf(
  connection: Connection,
  resource: Resource,
): CreatableResource<RecordValues, Types, NewRecord> {
  return new CreatableResource(connection, resource.path, fieldNames(resource));
}

/** Undefined if it does not exist. */
export async function readRecord(
  records: Records,
  id: number,
  options: { readonly signal?: AbortSignal } = {},
): Promise<TaggedRecord | undefined> {
  const found = await records.getTagged(id, options);
  return found && { ...found, data: { ...found.data, id } };
}
