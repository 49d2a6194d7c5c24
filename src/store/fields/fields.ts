/** The fields of a deployment in SQL. */

import { builtInCatalog, type Catalog } from '../../catalog/catalog.ts';
import type { Fields } from '../fields.ts';

export class SqlFields implements Fields {
  async catalog(): Promise<Catalog> {
    return builtInCatalog;
  }

  /** The catalog of this version. Undefined if it is no longer the current one. */
  async at(version: number): Promise<Catalog | undefined> {
    return builtInCatalog.version === version ? builtInCatalog : undefined;
  }
}
