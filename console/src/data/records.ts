/** The records of any resource, as the console reads them: which fields there are is known from the catalog, at run time. */

import {
  Resource as ClientResource,
  type Connection,
  CreatableResource,
  StockbookError,
  type ValueTypes,
} from '@stockbook/client';
import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';

export type Value = string | number | boolean | null;

/** Has the fields that were requested. */
export type RecordValues = { readonly [field: string]: Value } & { readonly id: number };

/** A record with all its fields, as it was at one moment. */
export interface TaggedRecord {
  readonly data: RecordValues;
  /** Changes with every write to the record. Undefined if something between the page and the service has removed it. */
  readonly etag: string | undefined;
}

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
  connection: Connection,
  resource: Resource,
  id: number,
  signal?: AbortSignal,
): Promise<TaggedRecord | undefined> {
  try {
    const path = `${resource.path}/${id}`;
    const { body, headers } = await connection.json<{ readonly data: RecordValues }>({ path, signal });
    if (body === undefined) throw new Error('a record that was not asked for by its tag cannot be unchanged');
    return { data: body.data, etag: tagIn(headers) };
  } catch (error) {
    if (isMissingRecord(error)) return undefined;
    throw error;
  }
}

export function isMissingRecord(error: unknown): boolean {
  return error instanceof StockbookError && error.code === 'record_not_found';
}

/** A proxy that compresses responses makes their tags weak. That of a record names its version, whatever the coding. */
export function tagIn(headers: Headers): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '');
}
