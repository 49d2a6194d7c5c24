/** The records of any resource, as the console reads them: which fields there are is known from the catalog, at run time. */

import { Resource as ClientResource, type Connection, type ValueTypes } from '@stockbook/client';
import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';

export type Value = string | number | boolean | null;

/** Has the fields that were requested. */
export type RecordValues = { readonly [field: string]: Value } & { readonly id: number };

export type Records = ClientResource<RecordValues, Readonly<Record<string, keyof ValueTypes>>>;

export function recordsOf(connection: Connection, resource: Resource): Records {
  return new ClientResource(connection, resource.path, fieldNames(resource));
}
