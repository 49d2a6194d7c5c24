/** The records of any resource, as the console reads them: which fields there are is known from the catalog, at run time. */

import { Resource as ClientResource, type Connection, CreatableResource, type ValueTypes } from '@stockbook/client';
import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';

export type Value = string | number | boolean | null;

/** Has the fields that were requested. */
export type RecordValues = { readonly [field: string]: Value } & { readonly id: number };

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
