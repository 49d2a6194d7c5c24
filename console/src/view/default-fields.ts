/** The columns that a view begins with: what people look for first. The others are one click away. */

import type { Resource } from '../../../src/catalog/resource.ts';

export function defaultFields({ fields }: Resource): readonly string[] {
  return fields.filter(({ secondary }) => !secondary).map(({ name }) => name);
}
