/**
 * Which files are loaded into which resource, and how: by their names, or as `watch.json` in the folder says.
 *
 *     {"files": [{"pattern": "prices-*.csv", "resource": "product", "key": "default_code", "map": {"Price": "list_price", "Notes": null}}]}
 */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Catalog, resources } from '../../catalog/catalog.ts';
import type { Resource, ResourceOutline } from '../../catalog/resource.ts';
import type { GivenOptions } from '../../import/decisions.ts';
import { type ImportFormat, importFormats } from '../../import/import-formats.ts';
import { readMapping } from '../../import/mapping.ts';
import { planReading } from '../../import/reading-options.ts';
import { RULES_FILE, WATCH_WORDS } from '../../import/words.ts';
import { nearest } from '../../problem/nearest.ts';
import { Problem } from '../../problem/problem.ts';
import { isFileError, reasonOf } from '../files.ts';

/** The options of an import. */
export interface ImportParameters extends GivenOptions {
  readonly replace?: boolean;
  readonly confirm?: boolean;
}

export interface MatchedFile {
  readonly resource: ResourceOutline;
  readonly format: ImportFormat;
  readonly parameters: ImportParameters;
}

/** How a file is loaded. Undefined if no rule is about it; a text says why one cannot be applied. */
export type WatchRules = (name: string) => MatchedFile | string | undefined;

/** What is wrong with `watch.json`, in a sentence. */
export class InvalidRules {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Of a folder. Throws if `watch.json` exists but cannot be read. */
export async function readRules(folder: string, catalog: Catalog): Promise<WatchRules | InvalidRules> {
  const path = join(folder, RULES_FILE);
  try {
    return parseRules(await readFile(path, 'utf8'), catalog, (mapping) => readFileSync(join(folder, mapping), 'utf8'));
  } catch (error) {
    if (!isFileError(error)) throw error;
    return error.code === 'ENOENT' ? byResourceName : new InvalidRules(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** `product*.csv`, `products.ndjson.gz`, `companies-2026.json` */
export const byResourceName: WatchRules = (name) => {
  const lowercase = name.toLowerCase();
  const format = formatOf(lowercase);
  if (format === undefined) return undefined;
  const [resource] = resources
    .filter((each) => [each.name, each.plural].some((word) => lowercase.startsWith(word)))
    .toSorted((a, b) => b.name.length - a.name.length);
  return resource && { resource, format, parameters: {} };
};

/** By its extension. */
function formatOf(lowercase: string): ImportFormat | undefined {
  const path = lowercase.replace(/\.(gz|zst)$/, '');
  return importFormats.find(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
}

interface Rule {
  readonly pattern: RegExp;
  readonly resource: ResourceOutline;
  /** Undefined if the extension says so. */
  readonly format: ImportFormat | undefined;
  readonly parameters: ImportParameters;
}

/** `readText` reads a file of the folder, and throws if that is not possible. */
export function parseRules(
  text: string,
  catalog: Catalog,
  readText: (path: string) => string,
): WatchRules | InvalidRules {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return invalid(`it is not JSON (${error instanceof Error ? error.message : error})`);
  }
  if (!isObject(parsed) || !Array.isArray(parsed['files']))
    return invalid('it must be an object with an array "files"');
  const other = Object.keys(parsed).find((name) => name !== 'files');
  if (other !== undefined) return invalid(`"${other}" is unknown; its only member is "files"`);
  const entries: readonly unknown[] = parsed['files'];
  const rules: Rule[] = [];
  for (const [index, entry] of entries.entries()) {
    const rule = ruleOf(entry, catalog, readText);
    if (typeof rule === 'string') return invalid(`entry ${index + 1} of "files": ${rule}`);
    rules.push(rule);
  }
  return (name) => {
    const rule = rules.find(({ pattern }) => pattern.test(name));
    if (rule === undefined) return undefined;
    const { resource, parameters, format = formatOf(name.toLowerCase()) } = rule;
    if (format !== undefined) return { resource, format, parameters };
    return `Its format cannot be inferred from its extension. Add "format" to its entry in ${RULES_FILE}: ${FORMATS}.`;
  };
}

const FORMATS = importFormats.map(({ name }) => `"${name}"`).join(', ');

const MEMBERS = ['pattern', 'resource', 'format', 'key', 'map', 'mapping', 'add', 'replace', 'confirm'];

/** A text says what is wrong. */
function ruleOf(entry: unknown, catalog: Catalog, readText: (path: string) => string): Rule | string {
  if (!isObject(entry)) return 'it must be an object';
  const unknown = Object.keys(entry).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `"${unknown}" is unknown. ${meant(unknown, MEMBERS)}`;
  const { pattern, resource: resourceName, format: formatName } = entry;
  if (typeof pattern !== 'string' || pattern === '' || /[/\\]/.test(pattern))
    return '"pattern" must be a pattern of file names, such as "prices-*.csv", without a folder';
  const names = resources.map(({ name }) => name);
  const resource = typeof resourceName === 'string' ? catalog.find(resourceName) : undefined;
  if (resource === undefined)
    return `"resource" must be one of ${names.join(', ')}, not ${JSON.stringify(resourceName ?? null)}`;
  const format = importFormats.find(({ name }) => name === formatName);
  if (formatName !== undefined && format === undefined) return `"format" must be one of ${FORMATS}`;
  const parameters = parametersOf(entry, resource, readText);
  if (typeof parameters === 'string') return parameters;
  const problem = planReading(resource, parameters, WATCH_WORDS);
  if (problem instanceof Problem)
    return [problem.detail, problem.context.suggestion].filter((part) => part !== undefined).join(' ');
  return { pattern: expressionOf(pattern), resource, format, parameters };
}

/** The one place where an entry becomes the options of an import. Its own members come before those of its mapping. */
function parametersOf(
  { key, add, replace, confirm, map, mapping }: Readonly<Record<string, unknown>>,
  resource: Resource,
  readText: (path: string) => string,
): ImportParameters | string {
  if (key !== undefined && typeof key !== 'string') return '"key" must be the name of a field';
  if (add !== undefined && typeof add !== 'boolean') return '"add" must be true or false';
  if (replace !== undefined && typeof replace !== 'boolean') return '"replace" must be true or false';
  if (confirm !== undefined && typeof confirm !== 'boolean') return '"confirm" must be true or false';
  if (map !== undefined && !isColumnMap(map))
    return '"map" must be an object of columns and their fields, such as {"Price": "list_price", "Notes": null}';
  if (mapping !== undefined && typeof mapping !== 'string') return '"mapping" must be the name of a file';
  const kept = mapping === undefined ? {} : keptOptions(mapping, resource, readText);
  if (typeof kept === 'string') return kept;
  const own = Object.entries(map ?? {}).map(([column, field]) => `${column}=${field ?? ''}`);
  return {
    ...kept,
    map: [...(kept.map ?? []), ...own],
    ...(key !== undefined && { key }),
    ...(add !== undefined && { add }),
    ...(replace !== undefined && { replace }),
    ...(confirm !== undefined && { confirm }),
  };
}

/** What a mapping says, which is a file in the folder. */
function keptOptions(path: string, resource: Resource, readText: (path: string) => string): GivenOptions | string {
  try {
    const options = readMapping(readText(path), resource);
    return 'flaw' in options ? `the mapping ${path} cannot be used: ${options.flaw}` : options;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return `the mapping ${path} cannot be read: ${reasonOf(error)}`;
  }
}

/** `*` stands for any characters, `?` for one. Case does not matter. */
function expressionOf(pattern: string): RegExp {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'isu');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isColumnMap(value: unknown): value is Readonly<Record<string, string | null>> {
  return isObject(value) && Object.values(value).every((field) => field === null || typeof field === 'string');
}

function meant(name: string, names: readonly string[]): string {
  const known = nearest(name, names);
  return known === undefined ? `The members are ${names.join(', ')}.` : `Did you mean "${known}"?`;
}

function invalid(reason: string): InvalidRules {
  return new InvalidRules(`${RULES_FILE} cannot be used: ${reason.replace(/\.$/, '')}.`);
}
