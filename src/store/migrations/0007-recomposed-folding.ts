/** Folded text is composed (NFC) after it is lowercased, not before. */

import type { Migration, Refold } from './migration.ts';

const REFOLDS: readonly Refold[] = [
  { refold: 'product', columns: ['name', 'default_code'] },
  { refold: 'partner', columns: ['name', 'ref', 'email', 'phone', 'vat', 'street', 'city', 'zip', 'country_code'] },
  { refold: 'company', columns: ['name', 'company_code', 'branch_user'] },
];

export const recomposedFolding: Migration = {
  number: 7,
  name: 'folded text is composed after it is lowercased',
  sqlite: REFOLDS,
  postgres: REFOLDS,
};
