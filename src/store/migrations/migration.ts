/** What a migration is: the frozen SQL of one step, for both engines. */

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}
