/** The columns that a view begins with: what people look for first. The others are one click away. */

import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';

const LESS_IMPORTANT: Readonly<Record<string, readonly string[]>> = {
  product: ['product_tmpl_id', 'is_rsd_product', 'create_date'],
  partner: ['is_patient', 'is_employee', 'vat', 'street', 'zip', 'create_date'],
};

export function defaultFields(resource: Resource): readonly string[] {
  const hidden = LESS_IMPORTANT[resource.name] ?? [];
  return fieldNames(resource).filter((name) => !hidden.includes(name));
}
