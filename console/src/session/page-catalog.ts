/**
 * The fields that the account has, like the location something of the whole page: a page shows one account at a time. Signing in sets them before
 * anything of the account is shown.
 */

import type { Connection } from '@stockbook/client';
import { builtInCatalog, type Catalog } from '../../../src/catalog/catalog.ts';
import { catalogOf, type ListedField } from '../../../src/catalog/listed-field.ts';

let current = builtInCatalog;

export function pageCatalog(): Catalog {
  return current;
}

export async function readCatalog(connection: Connection): Promise<void> {
  current = catalogOf(await connection.data<readonly ListedField[]>({ path: 'fields' }));
}
