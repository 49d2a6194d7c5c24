/** Makes a history smaller that breaks a rule. */

import { check } from './check.ts';
import { type Call, isWrite } from './history.ts';

/** Leaves out reads, in ever smaller groups, as long as the rule is still broken. Writes stay: without one, its revision would be a hole. */
export function shrunk(calls: readonly Call[], rule: string): readonly Call[] {
  const isBroken = (some: readonly Call[]) => check(some).violations[0]?.rule === rule;
  let kept = calls;
  for (let size = Math.ceil(calls.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const reads = kept.filter(({ ask }) => !isWrite(ask));
    for (let from = 0; from < reads.length; from += size) {
      const group = new Set(reads.slice(from, from + size));
      const smaller = kept.filter((call) => !group.has(call));
      if (isBroken(smaller)) kept = smaller;
    }
  }
  return kept;
}
