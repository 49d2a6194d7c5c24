/**
 * Text search on SQLite: a trigram index per table, maintained by triggers. Its row ids combine account and record id, so an
 * account's entries are adjacent and no search reads those of others. The newest records, those past `ledger.indexed_id`,
 * are not in the index yet; there are few, and they are scanned.
 */

import type { Field } from '../../catalog/resource.ts';
import { foldedColumn } from '../sql/columns.ts';
import type { SearchTarget } from '../sql/dialect.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';

// These numbers are part of the frozen migrations, in triggers and row ids, and never change.

/** A row id holds the record id in its lower 40 bits and the account in the bits above. */
export const ID_BITS = 40;
export const LAST_ID = 2 ** ID_BITS - 1;
export const LAST_ACCOUNT = 2 ** (63 - ID_BITS) - 1;

/**
 * The index finds the records that have the text's trigrams, in any order, and it may confuse some rare characters. The
 * records themselves then decide. Searching for the trigrams as a phrase would be exact, but takes minutes for text that
 * repeats itself. A text of fewer than three characters has no trigram, and a field that is not searched has no index.
 */
export function contains(field: Field, folded: string, search: SearchTarget | undefined): Sql {
  const column = trusted(foldedColumn(field));
  const isFound = sql`instr(${column}, ${bind('text', folded)}) > 0`;
  const terms = searchTerms(folded);
  if (search === undefined || field.searched !== true || terms === undefined) return isFound;
  const { table, account, ids } = search;
  const index = trusted(`${table}_search`);
  const [bits, last] = [trusted(String(ID_BITS)), trusted(String(LAST_ID))];
  const from = ids === undefined ? trusted('0') : sql`min(${ids.after} + 1, ${last})`;
  const to = ids === undefined ? last : sql`min(${ids.upTo}, ${last})`;
  const range = ids === undefined ? sql`` : sql` AND id > ${ids.after} AND id <= ${ids.upTo}`;
  return sql`(id IN (
      SELECT rowid & ${last} FROM ${index} WHERE ${index} MATCH ${bind('text', `${foldedColumn(field)} : (${terms})`)}
        AND rowid BETWEEN (${account} << ${bits}) | ${from} AND (${account} << ${bits}) | ${to} AND ${account} <= ${trusted(String(LAST_ACCOUNT))}
      UNION ALL
      SELECT id FROM ${trusted(table)} WHERE account_id = ${account}
        AND id > (SELECT indexed_id FROM ledger WHERE account_id = ${account} AND resource = ${trusted(`'${table}'`)})${range}
    ) AND ${isFound})`;
}

/** What an entry of the index must have if its text contains this one; undefined if it may be any. */
export function searchTerms(folded: string, max = MAX_TRIGRAMS): string | undefined {
  const terms = trigramsOf(folded, max).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

/** The most trigrams to look up: more hardly ever exclude records that these do not. */
const MAX_TRIGRAMS = 16;

/** Different trigrams from all parts of a long text, since many texts start alike. */
function trigramsOf(text: string, max: number): readonly string[] {
  const characters = [...text];
  const count = characters.length - 2;
  const step = Math.max(1, Math.ceil(count / max));
  const trigrams = new Set<string>();
  for (let at = 0; at < count; at += step) trigrams.add(characters.slice(at, at + 3).join(''));
  return [...trigrams];
}
