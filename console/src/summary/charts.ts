/** Which fields of a resource are worth a chart, and which kind: follows from their types, and from which are categories. */

import type { Amount, Field, Resource } from '../../../src/catalog/resource.ts';
import { type Storage, storageOf } from '../../../src/catalog/value-types.ts';

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

const KINDS: Readonly<Record<Storage, ChartKind | undefined>> = {
  real: 'ranges',
  boolean: 'flags',
  timestamp: 'periods',
  // Only categories have few values.
  integer: undefined,
  text: undefined,
};

export function chartsOf(resource: Resource): readonly Chart[] {
  return resource.fields.flatMap((field): readonly Chart[] => {
    const kind = field.category ? 'values' : KINDS[storageOf(field)];
    return kind === undefined ? [] : [{ field, kind }];
  });
}

/** Numbers that can be added up. Integers are identifiers. */
export function amountsOf(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => storageOf(field) === 'real');
}

/** The sum of products, as the API has it. */
export function sumOf({ factors }: Amount): `sum(${string})` {
  return `sum(${factors.join('*')})`;
}

export function timesOf(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => storageOf(field) === 'timestamp');
}
