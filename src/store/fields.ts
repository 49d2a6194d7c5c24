/** The fields of a deployment: those that are built in, and those that operators have added. */

import type { Catalog } from '../catalog/catalog.ts';
import type { OwnField } from '../catalog/own-field.ts';
import type { ResourceOutline } from '../catalog/resource.ts';

/** A value that several records of an account have. */
export interface RepeatedValue {
  readonly account: string;
  readonly value: string;
  readonly records: number;
}

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
  /** Replaces the definition of a field. Its type stays the same. Nothing happens if it is to be unique, but records have the same value. */
  change(
    catalog: Catalog,
    resource: ResourceOutline,
    field: OwnField,
    onIndexing?: () => void,
  ): Promise<boolean | RepeatedValue>;
  /** Removes a field and all its values. */
  remove(catalog: Catalog, resource: ResourceOutline, name: string): Promise<boolean>;
}
