/** The parameters of an import to its plan. */

import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { ParameterName, WholeQuery } from '../request/parameters.ts';

/** An import that removes more than one in N records has to be confirmed. */
export const REMOVAL_LIMIT = 10;

/** The maximum number of bytes of the name of a source, and of a position. */
export const MAX_SOURCE_NAME = 255;
export const MAX_POSITION = 1_024;

/** The maximum number of columns that are renamed: no resource has as many fields. */
export const MAX_MAPPED = 200;

export interface ImportRequest {
  readonly key: Field;
  readonly columns: ReadonlyMap<string, Field | undefined>;
  readonly replace: boolean;
  readonly isConfirmed: boolean;
  readonly dryRun: boolean;
  readonly onRowError: 'stop' | 'skip';
  readonly source: RequestedPosition | undefined;
}

export interface RequestedPosition {
  readonly name: string;
  readonly position: string;
  /** Null if there must be none. */
  readonly expected?: string | null;
}

export function planImport(resource: Resource, query: WholeQuery): ImportRequest | Problem {
  const { values } = query;
  const key = values.key === undefined ? id : keyField(resource, values.key);
  if (key instanceof Problem) return key;
  const columns = columnMap(resource, query.repeated.map ?? []);
  if (columns instanceof Problem) return columns;
  const replace = flag(query, 'replace');
  if (replace instanceof Problem) return replace;
  const isConfirmed = flag(query, 'confirm');
  if (isConfirmed instanceof Problem) return isConfirmed;
  const dryRun = flag(query, 'dry_run');
  if (dryRun instanceof Problem) return dryRun;
  const onRowError = values.on_error ?? 'stop';
  if (onRowError !== 'stop' && onRowError !== 'skip')
    return invalid('on_error', `on_error must be stop or skip, not ${quoted(onRowError)}.`);
  if (replace && onRowError === 'skip')
    return invalid(
      'on_error',
      'With replace=true, the records of skipped rows would be removed.',
      'Leave on_error out, or replace.',
    );
  const source = planSource(query);
  if (source instanceof Problem) return source;
  return { key, columns, replace, isConfirmed, dryRun, onRowError, source };
}

function planSource({ values, empty }: WholeQuery): RequestedPosition | Problem | undefined {
  const { source: name, position, expect } = values;
  if (name === undefined && (position !== undefined || expect !== undefined || empty.has('expect')))
    return invalid('source', 'A position belongs to a source.', 'Add source=NAME.');
  if (name === undefined) return undefined;
  if (position === undefined)
    return invalid('position', `The source ${quoted(name)} has no position.`, 'Add position=TEXT.');
  if (Buffer.byteLength(name) > MAX_SOURCE_NAME)
    return invalid('source', `The name of the source has more than ${MAX_SOURCE_NAME} bytes.`);
  if (Buffer.byteLength(position) > MAX_POSITION)
    return invalid('position', `The position has more than ${MAX_POSITION} bytes.`);
  const expected = empty.has('expect') ? null : expect;
  return { name, position, ...(expected !== undefined && { expected }) };
}

function flag({ values }: WholeQuery, name: 'replace' | 'confirm' | 'dry_run'): boolean | Problem {
  const value = values[name] ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  return invalid(name, `${name} must be true or false, not ${quoted(value)}.`);
}

function keyField(resource: Resource, name: string): Field | Problem {
  const field = fieldNamed(resource, name, 'key');
  if (field instanceof Problem || isKey(field)) return field;
  return invalid('key', `key must be a field that holds text or integers; ${name} is a ${field.type}.`);
}

/** Whether records can be identified by a field. */
export function isKey({ type }: Field): boolean {
  const { storage } = valueTypes[type];
  return storage === 'text' || storage === 'integer';
}

function columnMap(resource: Resource, entries: readonly string[]): ReadonlyMap<string, Field | undefined> | Problem {
  if (entries.length > MAX_MAPPED) return invalid('map', `map appears more than ${MAX_MAPPED} times.`);
  const columns = new Map<string, Field | undefined>();
  for (const entry of entries) {
    // The name of a field has no colon, that of a column may.
    const split = entry.lastIndexOf(':');
    if (split < 1)
      return invalid('map', `map must be COLUMN:FIELD, not ${quoted(entry)}.`, 'An example is map=Price:list_price.');
    const [column, name] = [entry.slice(0, split).trim(), entry.slice(split + 1).trim()];
    if (columns.has(column)) return invalid('map', `map names the column ${quoted(column)} twice.`);
    const field = name === '' ? undefined : fieldNamed(resource, name, 'map');
    if (field instanceof Problem) return field;
    columns.set(column, field);
  }
  return columns;
}

function fieldNamed(resource: Resource, name: string, parameter: ParameterName): Field | Problem {
  const field = findField(resource, name);
  if (field !== undefined) return field;
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  const help = meant === undefined ? `Its fields are ${names.join(', ')}.` : `Did you mean ${meant}?`;
  return invalid(parameter, `${resource.name} has no field ${quoted(name)}.`, help);
}

function invalid(parameter: ParameterName, detail: string, suggestion?: string): Problem {
  return new Problem('invalid_import_option', detail, { parameter, ...(suggestion !== undefined && { suggestion }) });
}
