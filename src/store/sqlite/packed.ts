/** Statements on their way to a thread. Those that follow each other and have one text, as the records of a group do, share it. */

import type { Parameter } from '../sql/dialect.ts';
import type { Expectation, Statement } from '../sql/statement.ts';

export interface Packed {
  readonly text: string;
  readonly runs: readonly (readonly Parameter[])[];
  readonly expect: Expectation | undefined;
}

export function pack(statements: readonly Statement[]): readonly Packed[] {
  const packed: (Packed & { readonly runs: (readonly Parameter[])[] })[] = [];
  for (const { text, parameters, expect } of statements) {
    const last = packed.at(-1);
    if (last?.text === text && last.expect === expect) last.runs.push(parameters);
    else packed.push({ text, runs: [parameters], expect });
  }
  return packed;
}

export function unpack(packed: readonly Packed[]): readonly Statement[] {
  return packed.flatMap(({ text, runs, expect }) =>
    runs.map((parameters) => ({ text, parameters, ...(expect !== undefined && { expect }) })),
  );
}
