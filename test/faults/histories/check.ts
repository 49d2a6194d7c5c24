/** Checks a history: whether everything that was answered can have been so. A pure function. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { checkCopies } from './checker/copies.ts';
import { orderOf } from './checker/order.ts';
import { wrongResponses } from './checker/responses.ts';
import type { Violation } from './checker/violation.ts';
import { describe } from './checker/words.ts';
import type { Call } from './history.ts';
import { resources } from './requests.ts';

export interface Checked {
  readonly violations: readonly Violation[];
  readonly calls: number;
  readonly outcomes: Readonly<Record<'yes' | 'no' | 'unknown', number>>;
  readonly revisions: number;
  /** How many copies from the feed were compared with a digest. */
  readonly copies: number;
  /** Where totals came from, and how often. */
  readonly sources: Readonly<Record<string, number>>;
}

export function check(calls: readonly Call[]): Checked {
  const ordered = Object.values(resources).map((resource: Resource) =>
    orderOf(
      resource,
      calls.filter(({ ask }) => ask.resource === resource.name),
    ),
  );
  const copies = checkCopies(calls);
  const count = (is: Call['outcome']['is']) => calls.filter(({ outcome }) => outcome.is === is).length;
  return {
    violations: [...wrongResponses(calls), ...ordered.flatMap(({ violations }) => violations), ...copies.violations],
    calls: calls.length,
    outcomes: { yes: count('yes'), no: count('no'), unknown: count('unknown') },
    revisions: ordered.reduce((sum, { revisions }) => sum + revisions, 0),
    copies: copies.compared,
    sources: sourcesIn(calls),
  };
}

function sourcesIn(calls: readonly Call[]): Checked['sources'] {
  const sources: Record<string, number> = {};
  for (const { outcome } of calls)
    if (outcome.is === 'yes' && outcome.source !== undefined)
      sources[outcome.source] = (sources[outcome.source] ?? 0) + 1;
  return sources;
}

/** Of each rule that is broken, the first violation: the others may follow from it. Empty if there are none. */
export function explain(violations: readonly Violation[], path: string): string {
  if (violations.length === 0) return '';
  const firsts = [...Map.groupBy(violations, ({ rule }) => rule).values()].flatMap(([first]) => first ?? []);
  const told = firsts.map(({ rule, text, calls }) => {
    return [`${rule}: ${text}`, ...calls.map((call) => `  ${describe(call)}`)].join('\n');
  });
  const others = violations.length - told.length;
  return [
    ...told,
    ...(others > 0 ? [`and ${others} more`] : []),
    `Check it again: npx node test/faults/histories/recheck.ts ${path}`,
  ].join('\n\n');
}
