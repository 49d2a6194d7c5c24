import {
  createDate,
  id,
  indexed,
  nullable,
  type Resource,
  required,
  searched,
  withDefault,
  writeDate,
} from './resource.ts';

export const product: Resource = {
  name: 'product',
  path: 'inventory/product',
  plural: 'products',
  meaning: 'the inventory of the account',
  fields: [
    id,
    searched(required('name', 'text', 'product name')),
    indexed(searched(nullable('default_code', 'text', 'product code'))),
    indexed(withDefault('list_price', 'number', 0, 'sales price')),
    indexed(withDefault('qty_available', 'number', 0, 'quantity on hand')),
    withDefault('active', 'boolean', true, 'false if the product is no longer in use'),
    indexed(nullable('categ_id', 'integer', 'category identifier')),
    indexed(nullable('product_tmpl_id', 'integer', 'template identifier')),
    nullable('is_rsd_product', 'boolean', 'RSD flag; null if never set'),
    createDate,
    writeDate,
  ],
  creatable: [],
};
