/**
 * A shard: the part of every distributed table that has the same accounts. Statements about one of these accounts also run on the tables of the
 * shard itself, on the worker node that has it. The worker node then plans them as any PostgreSQL server does, once per connection:
 *
 *     SELECT rows FROM ledger WHERE ledger.account_id = $1
 *     SELECT rows FROM ledger_102008 AS ledger WHERE ledger.account_id = $1
 */

import type { Statement } from '../../sql/statement.ts';

/** How many texts are remembered. Each has a few kilobytes. */
const MAX_TEXTS = 500;

/** A table where a statement reads or writes it, and its alias. What follows tells it from a column or a function. */
const TABLE =
  /\b(?<keyword>FROM|JOIN|INTO|UPDATE)\s+(?<table>[a-z_0-9]+)\b(?![.(])(?:\s+AS\s+(?<alias>[a-z_0-9]+)\b)?/g;

/** The only table that a statement writes to. Without `WITH`, it is the first. */
const WRITTEN = /^\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+([a-z_0-9]+)\b/;

/** PostgreSQL's number of the lock mode. */
const SHARE_LOCK = 5;

export class Shard {
  /** The number of the shard of the ledger. Those of other tables are moved and split together with it. */
  readonly id: number;
  /** Locks the tables until the end of the transaction. Before it reads anything, so that they are those of its snapshot. */
  readonly lock: Statement;
  /**
   * Returns a row if the worker node still has the shard. If it was moved, its tables may exist for a while, and miss later writes. That it was moved is committed
   * in two phases: between them, the worker node may not know it yet.
   */
  readonly check: Statement;
  /** Keeps it from being moved or split until the end of the transaction: the same lock that Citus takes for a write. */
  readonly keep: Statement;
  /** The names of its tables, by those of the distributed ones; and of the tables that every node has a copy of. */
  readonly #tables: ReadonlyMap<string, string>;
  readonly #distributed: ReadonlySet<string>;
  readonly #known: ReadonlySet<string>;
  readonly #isHeld: string;
  readonly #texts = new Map<string, string>();
  readonly #checkedTexts = new Map<string, string>();

  /** `known` are the names of all tables, including those that are not on worker nodes. */
  constructor(
    id: number,
    {
      distributed,
      copied,
      known,
    }: { readonly [Kind in 'distributed' | 'copied']: ReadonlyMap<string, string> } & {
      readonly known: Iterable<string>;
    },
  ) {
    this.id = id;
    this.#tables = new Map([...distributed, ...copied]);
    this.#distributed = new Set(distributed.keys());
    this.#known = new Set(known);
    this.#isHeld = `EXISTS (SELECT FROM pg_dist_placement WHERE shardid = ${id} AND shardstate = 1
      AND groupid = (SELECT groupid FROM pg_dist_local_group)) AND NOT EXISTS (SELECT FROM pg_prepared_xact())`;
    this.lock = { text: `LOCK TABLE ${[...distributed.values()].join(', ')} IN ACCESS SHARE MODE`, parameters: [] };
    this.keep = { text: `SELECT lock_shard_metadata(${SHARE_LOCK}, ARRAY[${id}]::bigint[])`, parameters: [] };
    this.check = { text: `SELECT 1 AS held WHERE ${this.#isHeld}`, parameters: [] };
  }

  /** Whether a statement writes to the shard, and to nothing else. */
  isWrite(text: string): boolean {
    const [, written] = WRITTEN.exec(text) ?? [];
    return written !== undefined && this.#distributed.has(written);
  }

  /** The statement on the tables of the shard. */
  statement({ text, ...others }: Statement): Statement {
    return { ...others, text: remembered(this.#texts, text, () => this.#onShard(text)) };
  }

  /** The same, but it returns no row if the worker node does not have the shard any more. */
  checkedStatement({ text, ...others }: Statement): Statement {
    const checked = () => `SELECT * FROM (${this.#onShard(text)}) AS read WHERE ${this.#isHeld}`;
    return { ...others, text: remembered(this.#checkedTexts, text, checked) };
  }

  #onShard(text: string): string {
    return text.replaceAll(TABLE, (found, keyword: string, table: string, alias: string = table) => {
      const name = this.#tables.get(table);
      if (name !== undefined) return `${keyword} ${name} AS ${alias}`;
      // Anything else is the name of a subquery.
      if (this.#known.has(table)) throw new Error(`${table} is not on the worker nodes`);
      return found;
    });
  }
}

function remembered(texts: Map<string, string>, text: string, make: () => string): string {
  const known = texts.get(text);
  if (known !== undefined) return known;
  const made = make();
  if (texts.size === MAX_TEXTS) texts.clear();
  texts.set(text, made);
  return made;
}
