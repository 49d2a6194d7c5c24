/** The fields of a deployment: those that are built in, and those that operators have added. */

import type { Catalog } from '../catalog/catalog.ts';
import type { OwnField } from '../catalog/own-field.ts';
import type { ResourceOutline } from '../catalog/resource.ts';

/** Why the values that records have do not permit a change: several have the same, or one is too long for an index. */
export type ValueObstacle =
  | { readonly kind: 'repeated'; readonly account: string; readonly value: string; readonly records: number }
  | { readonly kind: 'too long'; readonly account: string; readonly id: number };

export interface Fields {
  /** The resources with all their fields, as the database has them now. The same object while nothing has changed. */
  catalog(): Promise<Catalog>;
  /** Those that operators have added, in the order in which they did. */
  own(resource: ResourceOutline): Promise<readonly OwnField[]>;
  /**
   * Adds a field for all accounts. It is there once this resolves, for every process. False, and nothing happens, unless this is still the
   * catalog. `onIndexing` is called when the field is there, and only its indexes are missing.
   */
  add(catalog: Catalog, resource: ResourceOutline, field: OwnField, onIndexing?: () => void): Promise<boolean>;
  /** Replaces the definition of a field. Its type stays the same. Nothing happens if values that records have do not permit it. */
  change(
    catalog: Catalog,
    resource: ResourceOutline,
    field: OwnField,
    onIndexing?: () => void,
  ): Promise<boolean | ValueObstacle>;
  /** Removes a field and all its values. */
  remove(catalog: Catalog, resource: ResourceOutline, name: string): Promise<boolean>;
}
