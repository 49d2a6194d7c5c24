/** Brings a file into a resource of an account: all of it or nothing. */

import type { Resource } from '../catalog/resource.ts';
import type { AccountId, IncomingRow, LoadResult, Records } from '../store/store.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { incomingRows, RefusedRows } from './incoming-rows.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';

export interface ImportFormat {
  readonly name: string;
  readonly endings: readonly string[];
  /** What rows are counted in. */
  readonly unit: 'line' | 'element';
  read(resource: Resource, bytes: AsyncIterable<Uint8Array>): AsyncIterable<readonly IncomingRow[]>;
}

export const importFormats: readonly ImportFormat[] = [importFormat(csv), importFormat(ndjson), importFormat(json)];

/** What a format's cells are is known to the format alone. */
function importFormat<Cell>(format: Format<Cell>): ImportFormat {
  const { name, endings, unit } = format;
  return { name, endings, unit, read: (resource, bytes) => incomingRows(resource, format, bytes) };
}

export async function importFile(
  records: Records,
  account: AccountId,
  resource: Resource,
  { format, bytes }: { readonly format: ImportFormat; readonly bytes: AsyncIterable<Uint8Array> },
): Promise<LoadResult> {
  try {
    return await records.load(account, resource, format.read(resource, bytes), new Date().toISOString());
  } catch (error) {
    if (error instanceof RefusedRows) return { kind: 'refused', faults: error.faults };
    throw error;
  }
}
