/** Fields with few distinct values, so that these can be counted. The catalog does not say which they are. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';

/** Most other integers and texts are names, addresses and identifiers, of which nearly every record has its own. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  product: ['categ_id'],
  partner: ['country_code', 'city'],
};

export function isCategory(resource: Resource, { name }: Field): boolean {
  return CATEGORIES[resource.name]?.includes(name) ?? false;
}
