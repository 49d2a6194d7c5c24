/** Where the suggested values of a field come from. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isCategory } from '../data/categories.ts';

export type ValueSource =
  /** The most frequent ones. */
  | 'counted'
  /** Some that contain what is typed. */
  | 'searched'
  /** Not at all: there are too many of them, and no index helps. */
  | 'none';

/** The indexes for `*` find nothing shorter quickly. */
const SEARCHED_LENGTH = 3;

export function valueSource(resource: Resource, field: Field, typed: string): ValueSource {
  if (isCategory(resource, field)) return 'counted';
  return field.searched && typed.length >= SEARCHED_LENGTH ? 'searched' : 'none';
}
