/** Folded text is composed (NFC) after it is lowercased, not before. */

import type { Migration, Refold } from './migration.ts';

const REFOLDS: readonly Refold[] = [
  { table: 'product', columns: ['name', 'default_code'] },
  { table: 'partner', columns: ['name', 'ref', 'email', 'phone', 'vat', 'street', 'city', 'zip', 'country_code'] },
  { table: 'company', columns: ['name', 'company_code', 'branch_user'] },
];

export const recomposedFolding: Migration = {
  number: 7,
  name: 'folded text is composed after it is lowercased',
  sqlite: REFOLDS,
  postgres: REFOLDS,
};
