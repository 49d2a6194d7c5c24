/** What a list costs, as far as its filter and its order tell. The unit is the cost of reading one record. */

import { Problem } from '../problem/problem.ts';
import { hasIndex } from './indexes.ts';
import type { OrderKey, Predicate, Selection } from './plan.ts';
import { isOrderedById } from './sort.ts';

/** The maximum cost of a filter. One that costs this much takes about ten seconds. */
export const MAX_COST = 250_000_000;

/** The costs of comparing a value, of searching a text, and of sorting, per record. */
const COMPARISON_COST = 0.1;
const SEARCH_COST = 5;
const SORT_COST = 10;

/** What the cost of a read depends on. Without an order, there is nothing to sort. */
export type CostFactors = Pick<Selection, 'where'> & Partial<Pick<Selection, 'order'>>;

/** The cost of a read, if this many records have to be read. */
export function estimateCost({ where, order }: CostFactors, records: number): number {
  return records * (costPerRecord(where) + (order === undefined || isOrderedById({ order }) ? 0 : orderCost(order)));
}

function orderCost(order: readonly OrderKey[]): number {
  const conditions = order.flatMap((key) => (key.kind === 'conditions' ? key.conditions : []));
  return SORT_COST + conditions.reduce((cost, condition) => cost + conditionCost(condition), 0);
}

/** The maximum cost of reading a record and checking whether it matches. */
export function costPerRecord(where: Predicate | undefined): number {
  return 1 + (where === undefined ? 0 : conditionCost(where));
}

function conditionCost(predicate: Predicate): number {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.operands.reduce((cost, operand) => cost + conditionCost(operand), 0);
    case 'text':
      return SEARCH_COST;
    default:
      return COMPARISON_COST;
  }
}

/** A filter is limited if it has to be checked for every record. An index usually leaves few of them. */
export function checkFilterCost(plan: Selection, records: number): Problem | undefined {
  const { where, resource, search } = plan;
  if (where === undefined || hasIndex(where) || estimateCost(plan, records) <= MAX_COST) return undefined;
  const conditions = countConditions(where);
  const [isWhat, parameter] =
    search === undefined ? ['The filter has', 'filter'] : ['The words of q, and the filter, are', 'q'];
  return new Problem(
    'filter_too_costly',
    `${isWhat} ${conditions} conditions, which would have to be checked for each of ${records} ${resource.plural}.`,
    {
      parameter,
      suggestion: `Use at most ${Math.max(1, Math.floor((conditions * MAX_COST) / estimateCost(plan, records)))} such conditions, put many values of one field into a list, or add a condition that an index supports, such as id[1,2,3] or name*text.`,
    },
  );
}

function countConditions(predicate: Predicate): number {
  if (predicate.kind !== 'and' && predicate.kind !== 'or') return 1;
  return predicate.operands.reduce((count, operand) => count + countConditions(operand), 0);
}
