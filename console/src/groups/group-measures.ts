/** What is measured of a group, and by what groups can be sorted. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { MAX_MEASURES } from '../../../src/plan/aggregate.ts';
import { amountsOf, sumOf } from '../summary/charts.ts';

export type Measure = 'count' | GroupMeasure['measure'];

/** In the order of values, or the largest first. */
export type GroupOrder = 'value' | Measure;

export function groupOrders(resource: Resource): readonly GroupOrder[] {
  return ['value', 'count', ...measuresOf(resource).map(({ measure }) => measure)];
}

/** What is shown of every group, beside the number of records. */
export interface GroupMeasure {
  /** As the API has it. */
  readonly measure: `${'sum' | 'avg'}(${string})`;
  readonly title: string;
  readonly decimals: number | undefined;
  readonly isMoney: boolean;
}

/** Quantities are added up. Prices are not: their average says more. */
export function measuresOf(resource: Resource): readonly GroupMeasure[] {
  const ofFields = amountsOf(resource).map((field): GroupMeasure => {
    const { name, decimals, label } = field;
    const isMoney = field.kind === 'money';
    if (decimals === undefined) return { measure: `sum(${name})`, title: label, decimals, isMoney };
    return { measure: `avg(${name})`, title: `Average ${label.toLowerCase()}`, decimals, isMoney };
  });
  const ofProducts = (resource.amounts ?? []).map(
    (amount): GroupMeasure => ({
      measure: sumOf(amount),
      title: amount.label,
      decimals: amount.decimals,
      isMoney: amount.kind === 'money',
    }),
  );
  return [...ofFields, ...ofProducts].slice(0, MAX_MEASURES - 1);
}
