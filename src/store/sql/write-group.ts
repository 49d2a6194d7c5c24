/** Writes that shared a transaction: what came of it, told apart again. */

import type { WriteResult } from './engine.ts';
import type { Statement } from './statement.ts';

/** Each with its part of the rows that the statements of all of them returned. */
export function toldApart<Write extends { readonly statements: readonly Statement[] }>(
  writes: readonly Write[],
  { rows }: WriteResult,
): readonly { readonly write: Write; readonly result: WriteResult }[] {
  let taken = 0;
  return writes.map((write) => {
    const from = taken;
    taken += write.statements.length;
    return { write, result: { written: true, rows: rows.slice(from, taken) } };
  });
}
