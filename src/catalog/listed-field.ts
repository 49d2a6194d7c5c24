/** Fields as `GET /api/v1/fields` lists them, and the catalog that such a list makes. */

import { builtInCatalog, type Catalog } from './catalog.ts';
import { catalogWith, type OwnField } from './own-field.ts';
import type { Field } from './resource.ts';
import type { Value } from './value.ts';
import type { ValueType } from './value-types.ts';

export interface ListedField {
  /** The name of the resource. */
  readonly resource: string;
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly meaning: string;
  readonly nullable: boolean;
  readonly default: Value | null;
  readonly choices: readonly string[] | null;
  readonly indexed: boolean;
  readonly searched: boolean;
  readonly unique: boolean;
  readonly builtIn: boolean;
}

export function listedField(resource: string, field: Field): ListedField {
  const { name, label, type, nullable, initial, meaning, choices, indexed, searched, unique, isOwn } = field;
  return {
    resource,
    name,
    label,
    type,
    meaning,
    nullable,
    default: initial.kind === 'value' ? initial.value : null,
    choices: choices ?? null,
    indexed: indexed === true,
    searched: searched === true,
    unique: unique === true,
    builtIn: isOwn !== true,
  };
}

/** The version of a catalog that a client has made: those of the service are its own. */
const LISTED = 1;

/** The catalog of a service, for its clients. Those without fields of operators all have the same. */
export function catalogOf(listed: readonly ListedField[]): Catalog {
  const own = Map.groupBy(
    listed.filter(({ builtIn }) => !builtIn),
    ({ resource }) => resource,
  );
  if (own.size === 0) return builtInCatalog;
  return catalogWith(builtInCatalog, LISTED, new Map([...own].map(([name, fields]) => [name, fields.map(ownField)])));
}

function ownField(listed: ListedField): OwnField {
  const { name, label, type, meaning, default: initial, choices, indexed, searched, unique } = listed;
  return {
    name,
    label,
    type,
    meaning,
    initial,
    ...(choices && { choices }),
    ...(indexed && { indexed }),
    ...(searched && { searched }),
    ...(unique && { unique }),
  };
}
