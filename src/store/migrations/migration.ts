/** What a migration is: the frozen SQL of one step, for both engines. */

/** A statement, or a change that SQL alone cannot make. */
export type Step = string | Refold;

/** Recomputes the folded form of text columns, which is stored in columns of the same name followed by `_fold`. */
export interface Refold {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sqlite: readonly Step[];
  readonly postgres: readonly Step[];
  /** Run on PostgreSQL after the migration has committed: inside the transaction these statements would block others. */
  readonly postgresAfterwards?: readonly string[];
}
