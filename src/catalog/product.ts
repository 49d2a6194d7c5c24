import {
  builtIn,
  category,
  code,
  createDate,
  grouped,
  id,
  indexed,
  nullable,
  required,
  searched,
  secondary,
  withDefault,
  writeDate,
} from './resource.ts';

export const product = builtIn({
  name: 'product',
  path: 'inventory/product',
  plural: 'products',
  meaning: 'the inventory of the account',
  exampleFilter: 'list_price>100 & active=true',
  fields: [
    id,
    searched(required('name', 'Name', 'text', 'product name')),
    code(indexed(searched(nullable('default_code', 'Product code', 'text', 'product code')))),
    ...grouped('Price and stock', [
      { ...indexed(withDefault('list_price', 'Sales price', 'number', 0, 'sales price')), kind: 'money', decimals: 2 },
      indexed(withDefault('qty_available', 'Quantity on hand', 'number', 0, 'quantity on hand')),
    ]),
    { ...withDefault('active', 'Active', 'boolean', true, 'false if the product is no longer in use'), kind: 'active' },
    ...grouped('Classification', [
      category(indexed(nullable('categ_id', 'Category ID', 'integer', 'category identifier'))),
      secondary(indexed(nullable('product_tmpl_id', 'Template ID', 'integer', 'template identifier'))),
      secondary(nullable('is_rsd_product', 'RSD product', 'boolean', 'RSD flag; null if never set')),
    ]),
    secondary(createDate),
    writeDate,
  ],
  amounts: [{ label: 'Stock value', factors: ['list_price', 'qty_available'], kind: 'money', decimals: 2 }],
  creatable: [],
});
