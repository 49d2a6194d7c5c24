/** The fields of a deployment. */

import type { Catalog } from '../catalog/catalog.ts';

export interface Fields {
  /** The resources with all their fields, as the database has them now. The same object while nothing has changed. */
  catalog(): Promise<Catalog>;
}
