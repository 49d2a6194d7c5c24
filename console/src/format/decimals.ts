/** How many decimals the numbers of a field have, so that equal numbers look the same on every page. The catalog does not say it. */

import type { Field } from '../../../src/catalog/resource.ts';

const DECIMALS: Readonly<Record<string, number>> = { list_price: 2 };

/** At least: a number that has more keeps them. */
export function decimalsOf({ name }: Pick<Field, 'name'>): number {
  return DECIMALS[name] ?? 0;
}
