/** Which fields of Odoo change without a time that says so. */

import { expect, test } from 'vitest';
import type { OdooField } from '../../src/connectors/odoo/reader.ts';
import { silentReason } from '../../src/connectors/odoo/silent-changes.ts';

function field(name: string, about: Partial<OdooField> = {}): OdooField {
  return { name, type: 'float', label: name, isStored: true, isPerCompany: false, depends: [], ...about };
}

const computed = (name: string, ...depends: readonly string[]) => field(name, { isStored: false, depends });

const fields = {
  own: [
    field('weight'),
    field('categ_id', { type: 'many2one' }),
    field('product_tmpl_id', { type: 'many2one' }),
    field('standard_price', { isStored: false, isPerCompany: true }),
    computed('list_price', 'product_tmpl_id.list_price'),
    computed('currency_symbol', 'product_tmpl_id.currency_symbol'),
    computed('lst_price', 'list_price', 'attribute_ids.price_extra'),
    computed('total', 'weight', 'list_price', 'total'),
    computed('markup', 'weight', 'lst_price'),
    computed('label', 'categ_id', 'weight'),
    computed('now'),
    field('seller_ids', { type: 'one2many' }),
    computed('sellers', 'seller_ids'),
    field('region', { depends: ['categ_id.region'] }),
    field('margin', { depends: ['list_price', 'standard_price'] }),
    field('deep', { depends: ['product_tmpl_id.categ_id.name'] }),
  ],
  inherited: {
    through: 'product_tmpl_id',
    fields: [field('list_price'), computed('currency_symbol', 'company_id.currency_id')],
  },
};

test.each([
  ['weight', undefined],
  ['categ_id', 'a record that it refers to may be removed or merged'],
  ['product_tmpl_id', undefined],
  ['standard_price', undefined],
  ['list_price', undefined],
  ['currency_symbol', 'it depends on company_id.currency_id'],
  ['lst_price', 'it depends on attribute_ids.price_extra'],
  ['total', undefined],
  ['markup', 'it depends on attribute_ids.price_extra'],
  ['label', undefined],
  ['sellers', 'it depends on seller_ids'],
  ['now', 'Odoo computes it'],
  ['region', 'it depends on categ_id.region'],
  ['margin', undefined],
  ['deep', 'it depends on product_tmpl_id.categ_id.name'],
  ['missing', undefined],
])('%s: %s', (name, reason) => {
  expect(silentReason(name, fields)).toBe(reason);
});
