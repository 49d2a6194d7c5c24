/** Where the suggested values of a field come from. */

import type { Field } from '../../../src/catalog/resource.ts';

export type ValueSource =
  /** The most frequent ones. */
  | 'counted'
  /** Some that contain what is typed. */
  | 'searched'
  /** Not at all: there are too many of them, and no index helps. */
  | 'none';

/** The indexes for `*` find nothing shorter quickly. */
const SEARCHED_LENGTH = 3;

export function valueSource(field: Field, typed: string): ValueSource {
  if (field.category) return 'counted';
  return field.searched && typed.length >= SEARCHED_LENGTH ? 'searched' : 'none';
}
