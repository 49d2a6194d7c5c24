/**
 * Text search on SQLite: a trigram index per table, maintained by triggers. Its row ids combine account and record id, so an
 * account's entries are adjacent and no search reads those of others. The newest records, those past `ledger.indexed_id`,
 * are not in the index yet, and are scanned. Many of them join it at once, in the transaction of a create or after an import.
 */

import { resources } from '../../catalog/catalog.ts';
import type { Resource } from '../../catalog/resource.ts';
import { searchedTexts, textColumn } from '../sql/columns.ts';
import type { IndexBatch, SearchIndex } from '../sql/dialect.ts';
import { ledgerRow } from '../sql/ledger.ts';
import type { SearchQuery } from '../sql/search-query.ts';
import { type Bound, bind, type Sql, sql, trusted } from '../sql/sql.ts';

// These numbers are part of the frozen migrations, in triggers and row ids, and never change.

/** A row id holds the record id in its lower 40 bits and the account in the bits above. */
export const ID_BITS = 40;
export const LAST_ID = 2 ** ID_BITS - 1;
export const LAST_ACCOUNT = 2 ** (63 - ID_BITS) - 1;

/**
 * The index finds the records that have the trigrams of the texts, in any order, and it may confuse some rare characters. The
 * records themselves then decide. Searching for the trigrams as a phrase would be exact, but takes minutes for text that
 * repeats itself. All texts are looked up at once: what two frequent ones have in common may be rare.
 */
export const searchIndex: SearchIndex = {
  isIndexed: (text) => searchTerms(text) !== undefined,
  isFound(query, { resource, account, ids }) {
    const [table, index] = [trusted(resource.name), trusted(`${resource.name}_search`)];
    const [bits, last] = [trusted(String(ID_BITS)), trusted(String(LAST_ID))];
    const from = ids === undefined ? trusted('0') : sql`min(${ids.after} + 1, ${last})`;
    const to = ids === undefined ? last : sql`min(${ids.upTo}, ${last})`;
    const range = ids === undefined ? sql`` : sql` AND id > ${ids.after} AND id <= ${ids.upTo}`;
    return sql` AND id IN (
      SELECT rowid & ${last} FROM ${index} WHERE ${index} MATCH ${bind('text', expressionOf(query, trigramsPerText(query)))}
        AND rowid BETWEEN (${account} << ${bits}) | ${from} AND (${account} << ${bits}) | ${to} AND ${account} <= ${trusted(String(LAST_ACCOUNT))}
      UNION ALL
      SELECT id FROM ${table} WHERE account_id = ${account}
        AND id > (SELECT indexed_id FROM ledger WHERE account_id = ${account} AND resource = ${trusted(`'${resource.name}'`)})${range}
    )`;
  },
};

/** https://www.sqlite.org/fts5.html#full_text_query_syntax */
function expressionOf(query: SearchQuery, maxTrigrams: number): string {
  if (query.kind === 'text') return `${query.column} : (${searchTerms(query.text, maxTrigrams)})`;
  const operands = query.operands.map((operand) => expressionOf(operand, maxTrigrams));
  return `(${operands.join(query.kind === 'and' ? ' AND ' : ' OR ')})`;
}

function trigramsPerText(query: SearchQuery): number {
  return Math.min(MAX_TRIGRAMS, Math.max(1, Math.floor(MAX_TERMS / countTexts(query))));
}

function countTexts(query: SearchQuery): number {
  return query.kind === 'text' ? 1 : query.operands.reduce((count, operand) => count + countTexts(operand), 0);
}

/** The maximum number of trigrams that a query looks up, if every text has at least one. */
const MAX_TERMS = 512;

/** What an entry of the index must have if its text contains this one; undefined if it may be any. */
export function searchTerms(folded: string, max = MAX_TRIGRAMS): string | undefined {
  const terms = trigramsOf(folded, max).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}

/** The maximum number of trigrams to look up: more hardly ever exclude records that these do not. */
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

/** Every resource has one. */
export function searchIndexNames(): readonly string[] {
  return resources.map(({ name }) => `${name}_search`);
}

/** How many ids of a ledger are past its search index. */
export const UNINDEXED_IDS = trusted(`min(ledger.last_id, ${LAST_ID}) - ledger.indexed_id`);

/** Adds the next records of an account to the index. The last statement returns how many ids are left. */
export function indexNewest(resource: Resource, account: Bound, { min, max }: IndexBatch): readonly Sql[] {
  const texts = searchedTexts(resource);
  if (texts.length === 0) return [];
  const ledger = ledgerRow(account, resource);
  const [table, index] = [trusted(resource.name), trusted(`${resource.name}_search`)];
  const names = trusted(texts.map(({ name }) => name).join(', '));
  const values = trusted(texts.map(({ field, form }) => textColumn(field, form)).join(', '));
  const [last, bits] = [trusted(String(LAST_ID)), trusted(String(ID_BITS))];
  const [fewest, most] = [trusted(String(min)), trusted(String(max))];
  // With other fields, the index has other columns.
  const due = sql`${UNINDEXED_IDS} >= ${fewest} AND ${account} <= ${trusted(String(LAST_ACCOUNT))}
    AND (SELECT value FROM counter WHERE name = 'fields') = ${bind('integer', resource.version)}`;
  /** The id up to which records join. */
  const end = sql`coalesce(
      (SELECT id FROM ${table} WHERE account_id = ${account} AND id > ledger.indexed_id AND id <= ${last} ORDER BY id LIMIT 1 OFFSET ${most} - 1),
      min(ledger.last_id, ${last})
    )`;
  return [
    sql`INSERT INTO ${index} (rowid, ${names})
      SELECT (account_id << ${bits}) | id, ${values} FROM ${table} WHERE account_id = ${account}
        AND id > (SELECT ledger.indexed_id FROM ledger WHERE ${ledger} AND ${due})
        AND id <= (SELECT ${end} FROM ledger WHERE ${ledger}) ORDER BY id`,
    sql`UPDATE ledger SET indexed_id = ${end} WHERE ${ledger} AND ${due} RETURNING ${UNINDEXED_IDS} AS left`,
  ];
}
