/** `explain`: whether to count the records that each condition of the filter matches. */

import { printFilter } from '../filter/print.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Query } from '../request/parameters.ts';
import { estimateCost, MAX_COST } from './cost.ts';
import type { ExplainedCondition, ListPlan, Selection } from './plan.ts';

/** The maximum number of conditions that are counted: each takes as long as a filter. */
const MAX_EXPLAINED = 20;

/** Undefined unless it was requested. */
export function planExplained(
  { values: { explain = 'false' } }: Query,
  { filter, where }: Selection,
): readonly ExplainedCondition[] | Problem | undefined {
  if (explain !== 'true' && explain !== 'false') return invalidExplain(`${quoted(explain)} is neither true nor false.`);
  if (explain === 'false') return undefined;
  if (where === undefined || filter === undefined) return [];
  const [texts, predicates] =
    filter.kind === 'and' && where.kind === 'and' ? [filter.operands, where.operands] : [[filter], [where]];
  if (texts.length > MAX_EXPLAINED)
    return invalidExplain(`The filter has ${texts.length} conditions, and at most ${MAX_EXPLAINED} can be explained.`);
  return predicates.flatMap((predicate, index) => {
    const text = texts[index];
    return text === undefined ? [] : [{ text: printFilter(text), where: predicate }];
  });
}

function invalidExplain(detail: string): Problem {
  return new Problem('invalid_explain', detail, { parameter: 'explain' });
}

/** Each condition alone, and all others: together they may cost as much as a filter. */
export function checkExplainCost({ where, explained = [] }: ListPlan, records: number): Problem | undefined {
  const whole = estimateCost({ where }, records);
  const alone = explained.reduce((sum, condition) => sum + estimateCost(condition, records), 0);
  if (alone + explained.length * whole <= MAX_COST) return undefined;
  return new Problem(
    'filter_too_costly',
    `The filter has too many conditions to be explained for ${records} records.`,
    {
      parameter: 'explain',
      suggestion: 'Explain fewer conditions at once, or remove explain.',
    },
  );
}
