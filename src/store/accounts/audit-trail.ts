/** The audit trail in SQL. Writes that belong into it take their entry from here, as one more statement of their transaction. */

import type { Actor, AuditAction, AuditEntry, AuditQuery, AuditTrail, NewEntry } from '../audit.ts';
import type { Engine } from '../engine/engine.ts';
import { withPatience } from '../engine/with-patience.ts';
import {
  type EntryPosition,
  type EntryTemplate,
  entriesStatement,
  entryStatement,
  firstEntryStatement,
  NO_ACCOUNT,
} from '../sql/audit-statements.ts';
import { integerOf, type Row, textOf, textOrNullOf } from '../sql/row.ts';
import { bind, sql } from '../sql/sql.ts';
import type { Statement } from '../sql/statement.ts';

/** How many entries are read at a time. */
const BATCH = 500;

export class SqlAuditTrail implements AuditTrail {
  readonly #engine: Engine;
  /** Who did what no request asked for. */
  readonly actor: Actor;

  constructor(engine: Engine, actor: Actor) {
    this.#engine = engine;
    this.actor = actor;
  }

  statement<Action extends AuditAction>(entry: EntryTemplate<Action>, by: Actor = this.actor): Statement {
    return entryStatement(entry, by, this.#engine.dialect);
  }

  async append<Action extends AuditAction>(
    { action, account, details }: NewEntry<Action>,
    by: Actor = this.actor,
  ): Promise<void> {
    const name = account === null ? NO_ACCOUNT : sql`${bind('text', account)}`;
    const statement = this.statement({ action, account: name, details }, by);
    // What it is about has been done.
    await withPatience(this.#engine.clock, () => this.#engine.write([statement]));
  }

  async *entries(query: AuditQuery): AsyncIterable<readonly AuditEntry[]> {
    const { dialect } = this.#engine;
    let from = await this.#first(query);
    for (;;) {
      const rows = await this.#engine.reserved(entriesStatement(query, from, BATCH, dialect));
      const entries = rows.map(entryOf);
      const last = entries.at(-1);
      if (last === undefined) return;
      yield entries;
      if (entries.length < BATCH) return;
      from = { id: last.id, isAfter: true };
    }
  }

  async #first(query: AuditQuery): Promise<EntryPosition | undefined> {
    if (query.limit === undefined) return undefined;
    const [row] = await this.#engine.reserved(firstEntryStatement(query, query.limit, this.#engine.dialect));
    return row && { id: integerOf(row, 'id'), isAfter: false };
  }
}

function entryOf(row: Row): AuditEntry {
  return {
    id: integerOf(row, 'id'),
    at: textOf(row, 'at'),
    actor: textOf(row, 'actor'),
    origin: textOf(row, 'origin'),
    action: textOf(row, 'action'),
    account: textOrNullOf(row, 'account'),
    details: textOf(row, 'details'),
  };
}
