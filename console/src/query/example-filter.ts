/** What people could ask for first: shown while there is no filter. */

import type { Resource } from '../../../src/catalog/resource.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  product: 'list_price>100 & active=true',
  partner: 'city=Berlin & is_company=true',
};

export function exampleFilter({ name }: Resource): string {
  return EXAMPLES[name] ?? 'name*north';
}
