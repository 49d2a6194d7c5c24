/** `explain`: whether to count the records that each condition of the filter, and each word of a search, matches. */

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
  selection: Selection,
): readonly ExplainedCondition[] | Problem | undefined {
  if (explain !== 'true' && explain !== 'false') return invalidExplain(`${quoted(explain)} is neither true nor false.`);
  if (explain === 'false') return undefined;
  const conditions = [...conditionsOf(selection), ...(selection.search?.words ?? [])];
  if (conditions.length <= MAX_EXPLAINED) return conditions;
  return invalidExplain(
    `There are ${conditions.length} conditions and words, and at most ${MAX_EXPLAINED} can be explained.`,
  );
}

/** Those of the filter, which come before the words of a search. */
function conditionsOf({ filter, where }: Selection): readonly ExplainedCondition[] {
  if (where === undefined || filter === undefined) return [];
  const predicates = where.kind === 'and' ? where.operands : [where];
  const filters = filter.kind === 'and' ? filter.operands : [filter];
  return filters.flatMap((each, index) => {
    const predicate = predicates[index];
    return predicate === undefined ? [] : [{ kind: 'filter', text: printFilter(each), where: predicate }];
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
