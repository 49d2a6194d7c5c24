/** Statements on their way to a thread: consecutive ones with the same text, such as the inserts of a batch, share it. */

import type { StagedRows } from '../engine/engine.ts';
import type { Parameter } from '../sql/dialect.ts';
import type { Expectation, Statement } from '../sql/statement.ts';

export interface PackedStatements {
  readonly text: string;
  readonly runs: readonly (readonly Parameter[])[];
  readonly expect: Expectation | undefined;
}

export interface PackedWrite {
  readonly statements: readonly PackedStatements[];
  readonly staged: StagedRows | undefined;
}

export function pack(statements: readonly Statement[]): readonly PackedStatements[] {
  const packed: (PackedStatements & { readonly runs: (readonly Parameter[])[] })[] = [];
  for (const { text, parameters, expect } of statements) {
    const last = packed.at(-1);
    if (last?.text === text && last.expect === expect) last.runs.push(parameters);
    else packed.push({ text, runs: [parameters], expect });
  }
  return packed;
}

export function unpack(packed: readonly PackedStatements[]): readonly Statement[] {
  return packed.flatMap(({ text, runs, expect }) =>
    runs.map((parameters) => ({ text, parameters, ...(expect !== undefined && { expect }) })),
  );
}
