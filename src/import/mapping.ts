/**
 * What was decided about a file, kept in a file of its own so that the next one is read alike.
 *
 *     { "resource": "product", "key": "default_code", "columns": { "Preis": "list_price", "Notiz": null }, "decimal": "," }
 */

import type { Field, Resource } from '../catalog/resource.ts';
import { REMOVED } from './columns.ts';
import type { Decisions, GivenOptions, Recognised } from './decisions.ts';
import { delimiterNamed } from './reading-options.ts';

const TEXTS = ['key', 'encoding', 'delimiter', 'sheet', 'decimal', 'dates', 'timezone', 'emptyText'] as const;

const MEMBERS = ['resource', 'columns', 'ignoreUnknown', 'lenient', 'headerRow', ...TEXTS] as const;

/** The options that a mapping gives, or what is wrong with it. */
export function readMapping(text: string, resource: Resource): GivenOptions | { readonly flaw: string } {
  const mapping = parsed(text);
  if (mapping === undefined) return { flaw: 'it is not a JSON object' };
  const unknown = Object.keys(mapping).find((name) => !MEMBERS.some((known) => known === name));
  if (unknown !== undefined) return { flaw: `"${unknown}" is not one of ${MEMBERS.join(', ')}` };
  const { resource: of, columns = {}, ignoreUnknown, lenient, headerRow } = mapping;
  if (of !== undefined && of !== resource.name) return { flaw: `it is for ${String(of)}, not for ${resource.name}` };
  if (ignoreUnknown !== undefined && typeof ignoreUnknown !== 'boolean')
    return { flaw: '"ignoreUnknown" is neither true nor false' };
  if (lenient !== undefined && typeof lenient !== 'boolean') return { flaw: '"lenient" is neither true nor false' };
  if (headerRow !== undefined && typeof headerRow !== 'number') return { flaw: '"headerRow" is not a number' };
  const map = mapEntries(columns);
  if (map === undefined)
    return { flaw: '"columns" is not an object with the name of a field, or null, for each column' };
  const options: Record<string, string> = {};
  for (const name of TEXTS) {
    const value = mapping[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') return { flaw: `"${name}" is not a text` };
    options[name] = value;
  }
  return {
    ...options,
    map,
    ...(ignoreUnknown !== undefined && { ignoreUnknown }),
    ...(lenient !== undefined && { lenient }),
    ...(headerRow !== undefined && { headerRow: String(headerRow) }),
  };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function mapEntries(columns: unknown): readonly string[] | undefined {
  if (!isObject(columns)) return undefined;
  const entries = Object.entries(columns);
  if (entries.some(([, field]) => field !== null && typeof field !== 'string')) return undefined;
  return entries.map(([column, field]) => `${column}=${String(field ?? '')}`);
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The text of a mapping that reads other files as this one was read. */
export function mappingText(resource: Resource, key: Field, decisions: Decisions, recognised?: Recognised): string {
  const { emptyText, timezone, ignoreUnknown, lenient } = decisions;
  const unmapped = (recognised?.columns ?? []).filter(
    ({ column, field, reason }) => column !== '' && field !== REMOVED && reason !== 'unknown',
  );
  const mapping = {
    resource: resource.name,
    key: key.name,
    columns: Object.fromEntries([
      ...unmapped.map(({ column, field }) => [column, field] as const),
      ...[...decisions.columns].map(([column, field]) => [column, field?.name ?? null] as const),
    ]),
    ...(ignoreUnknown && { ignoreUnknown: true }),
    ...(lenient && { lenient: true }),
    encoding: recognised?.encoding ?? decisions.encoding,
    delimiter: delimiterNamed(recognised?.delimiter) === undefined ? undefined : recognised?.delimiter,
    sheet: decisions.sheet,
    headerRow: decisions.headerRow,
    decimal: recognised?.decimal ?? decisions.decimal,
    dates: recognised?.dates ?? decisions.dates?.text,
    timezone,
    emptyText: emptyText ?? recognised?.emptyText,
  };
  return `${JSON.stringify(mapping, undefined, 2)}\n`;
}
