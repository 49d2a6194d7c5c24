/** Fields of Odoo as fields of Stockbook. */

import { expect, test } from 'vitest';
import { mirroredModels } from '../../../src/connectors/odoo/mapping.ts';

test('who buys is a customer, and who sells is a vendor', () => {
  const rules = mirroredModels.find(({ resource }) => resource === 'partner')?.rules ?? [];
  const mirrored = (row: Record<string, unknown>) =>
    ['is_customer', 'is_vendor', 'is_employee'].map((field) =>
      rules.find((rule) => rule.field === field)?.value({ id: 1, ...row }),
    );
  expect(mirrored({ customer_rank: 2, supplier_rank: 0, employee: false })).toEqual([true, false, false]);
  expect(mirrored({ customer_rank: 0, supplier_rank: 1, employee: true })).toEqual([false, true, true]);
});
