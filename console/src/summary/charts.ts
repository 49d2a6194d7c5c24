/** Which fields of a resource are worth a chart, and which kind: follows from their types, and from the one table below. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import type { ValueType } from '../../../src/catalog/value-types.ts';

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
  // Most are names, addresses and identifiers, of which nearly every record has its own.
  integer: undefined,
  text: undefined,
};

/** Integers and texts that many records share, by resource. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  product: ['categ_id'],
  partner: ['country_code', 'city'],
};

export function chartsOf(resource: Resource): readonly Chart[] {
  const categories = CATEGORIES[resource.name] ?? [];
  return resource.fields.flatMap((field): readonly Chart[] => {
    const kind = categories.includes(field.name) ? 'values' : KINDS[field.type];
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
