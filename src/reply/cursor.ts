/**
 * Cursors as text. Clients must not look inside: the checksum, which covers the account, the resource and the filter, makes
 * sure that a cursor comes back as it was issued, for what it was issued. With another filter, a copy would lack records.
 */

import { crc32 } from 'node:zlib';
import type { ResourceOutline } from '../catalog/resource.ts';
import { MAX_INTEGER } from '../catalog/value-types.ts';
import { canonical } from '../plan/canonical.ts';
import type { Cursor, Predicate } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Account } from '../store/store.ts';

/** What a copy consists of. */
export interface FeedOf {
  readonly account: Account;
  readonly resource: ResourceOutline;
  readonly where: Predicate | undefined;
}

/** After everything that a ledger has at this version. */
export function cursorAt(version: Cursor['issued']): Cursor {
  const { revision } = version;
  return { issued: version, position: { revision, id: MAX_INTEGER }, begun: revision };
}

export function printCursor({ issued, position, begun }: Cursor, { account, resource, where }: FeedOf): string {
  const numbers = [issued.generation, issued.revision, position.revision, position.id, begun];
  const text = numbers.map((number) => number.toString(36)).join('.');
  const filter = where === undefined ? '' : ` ${canonical(where)}`;
  const checksum = crc32(`${text} ${account.id} ${account.createdAt} ${resource.name}${filter}`);
  return Buffer.from(`${text}.${checksum.toString(36)}`).toString('base64url');
}

export function readCursor(text: string, of: FeedOf): Cursor | Problem {
  const numbers = Buffer.from(text, 'base64url').toString('latin1').split('.');
  const [generation = 0, revision = 0, lastRevision = 0, lastId = 0, begun = 0] = numbers.map((number) =>
    Number.parseInt(number, 36),
  );
  const cursor = { issued: { generation, revision }, position: { revision: lastRevision, id: lastId }, begun };
  const isInRange = [generation, revision, lastRevision, lastId, begun].every(Number.isSafeInteger);
  if (isInRange && printCursor(cursor, of) === text) return cursor;
  const { plural } = of.resource;
  const selected = of.where === undefined ? 'all of them' : 'this filter';
  return new Problem(
    'invalid_cursor',
    `${quoted(text)} is not a cursor for the ${plural} of this account and ${selected}.`,
    { parameter: 'since' },
  );
}
