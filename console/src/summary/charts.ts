/** Which fields of a resource are worth a chart, and which kind: follows from their types, and from which are categories. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { ValueType } from '../../../src/catalog/value-types.ts';
import { isCategory } from '../data/categories.ts';

export type ChartKind =
  /** A histogram of numbers. */
  | 'ranges'
  /** A bar for each of the most frequent values. */
  | 'values'
  /** A bar for true, false and null. */
  | 'flags'
  /** A histogram of days, weeks, months or years. */
  | 'periods';

export interface Chart {
  readonly field: Field;
  readonly kind: ChartKind;
}

const KINDS: Readonly<Record<ValueType, ChartKind | undefined>> = {
  number: 'ranges',
  boolean: 'flags',
  timestamp: 'periods',
  // Only categories have few values.
  integer: undefined,
  text: undefined,
};

export function chartsOf(resource: Resource): readonly Chart[] {
  return resource.fields.flatMap((field): readonly Chart[] => {
    const kind = isCategory(resource, field) ? 'values' : KINDS[field.type];
    return kind === undefined ? [] : [{ field, kind }];
  });
}

/** Numbers that can be added up. Integers are identifiers. */
export function amountsOf(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.type === 'number');
}

export function timesOf(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.type === 'timestamp');
}
