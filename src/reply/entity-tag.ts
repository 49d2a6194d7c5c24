/**
 * Strong entity tags: the generation and revision at which a list or a record was last written. The same tag means the same bytes, even after the
 * database was restored, after an account was removed and added again, and with another catalog.
 */

import { crc32 } from 'node:zlib';
import type { Catalog } from '../catalog/catalog.ts';
import { columnHeading } from '../catalog/sheet.ts';
import type { ListFormat } from '../request/accept.ts';
import type { Account } from '../store/store.ts';
import type { RecordVersion } from '../store/version.ts';
import { CODINGS, type Coding, type FileCoding } from './compressed-text.ts';

/** Has to change if a response's bytes change for another reason than the catalog. */
const REPRESENTATION = 1;

/** Whose tags they are, which differ from those of others: a session. */
export interface TagOwner {
  readonly account: Account;
  readonly catalog: Catalog;
}

/** Sessions stay in memory while their keys are used. */
const prefixes = new WeakMap<TagOwner, string>();

/** What is computed from all records of a list. */
export type ComputedKind = 'digest' | 'aggregate';

export function entityTag(
  owner: TagOwner,
  { generation, revision }: RecordVersion,
  format?: ListFormat | ComputedKind,
): string {
  const prefix = prefixes.get(owner) ?? newPrefix(owner);
  return `"${prefix}-${generation.toString(36)}-${revision}${format === undefined ? '' : suffixOf(format)}"`;
}

function newPrefix(owner: TagOwner): string {
  const { account, catalog } = owner;
  const fields = catalog.resources.map(({ name, fields }) => [
    name,
    fields.map((field) => [field.name, field.type, columnHeading(field)]),
  ]);
  const seed = crc32(JSON.stringify([REPRESENTATION, catalog.version, fields]));
  const prefix = crc32(`${account.id} ${account.createdAt}`, seed).toString(36);
  prefixes.set(owner, prefix);
  return prefix;
}

function suffixOf(format: ListFormat | ComputedKind): string {
  if (typeof format === 'string') return `-${format}`;
  switch (format.kind) {
    case 'json':
      return '';
    case 'ndjson':
      return format.hasEnd ? '-ndjson-end' : '-ndjson';
    case 'csv':
      return format.excelSafe ? '-csv-safe' : '-csv';
    case 'xlsx':
      return '-xlsx';
  }
}

/** The version that a tag of a record names; undefined if it is none of this owner. */
export function readRecordTag(owner: TagOwner, tag: string): RecordVersion | undefined {
  const [, generation = '', revision = ''] = /^"[0-9a-z]+-([0-9a-z]+)-(\d+)(?:-[a-z]+)?"$/.exec(tag) ?? [];
  const version = { generation: Number.parseInt(generation, 36), revision: Number(revision) };
  if (generation === '' || !Object.values(version).every(Number.isSafeInteger)) return undefined;
  const plain = entityTag(owner, version);
  return tag === plain || CODINGS.some((coding) => tag === codedTag(plain, coding)) ? version : undefined;
}

/** The tag of the same representation in a content coding. */
export function codedTag(tag: string, coding: Coding | FileCoding): string {
  return tag.replace(/"$/, `-${coding}"`);
}

/**
 * The tag that the client has, in whichever coding, if it is that of the current representation. RFC 9110, section 13.1.2: `*`
 * matches anything, and the comparison ignores `W/`.
 */
export function matchingTag(
  ifNoneMatch: string | undefined,
  tag: string,
  codings: readonly (Coding | FileCoding)[] = CODINGS,
): string | undefined {
  if (ifNoneMatch === undefined) return undefined;
  const items = ifNoneMatch.split(',').map((item) => item.trim().replace(/^W\//, ''));
  const plain = codings.reduce((text, coding) => text.replace(`-${coding}"`, '"'), tag);
  const tags = [plain, ...codings.map((coding) => codedTag(plain, coding))];
  return items.includes('*') ? tag : tags.find((candidate) => items.includes(candidate));
}
