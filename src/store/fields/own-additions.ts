/** What the tables of a catalog have beyond what the migrations create. */

import type { Catalog } from '../../catalog/catalog.ts';
import { ownFieldsOf } from '../../catalog/own-field.ts';
import type { Dialect } from '../sql/dialect.ts';
import { differenceOfFields, type TableStatements } from '../sql/table-difference.ts';

export function ownAdditions({ resources }: Catalog, { additions }: Dialect): TableStatements {
  const added = resources.map((resource) => additions(differenceOfFields(resource, ownFieldsOf(resource))));
  return { required: added.flatMap(({ required }) => required), indexes: added.flatMap(({ indexes }) => indexes) };
}
