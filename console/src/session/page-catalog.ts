/**
 * The fields that the account has, like the location something of the whole page: a page shows one account at a time. Signing in sets them before
 * anything of the account is shown.
 */

import type { Connection } from '@stockbook/client';
import { builtInCatalog, type Catalog } from '../../../src/catalog/catalog.ts';
import { catalogWith, type OwnField } from '../../../src/catalog/own-field.ts';
import type { Value } from '../../../src/catalog/value.ts';
import type { ValueType } from '../../../src/catalog/value-types.ts';

let current = builtInCatalog;

export function pageCatalog(): Catalog {
  return current;
}

/** As `GET /api/v1/fields` has it. */
interface ListedField {
  readonly resource: string;
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly meaning: string;
  readonly default: Value | null;
  readonly choices: readonly string[] | null;
  readonly indexed: boolean;
  readonly searched: boolean;
  readonly builtIn: boolean;
}

/** The version of a catalog that was read from the service. Only whether it has fields of operators matters here. */
const READ = 1;

export async function readCatalog(connection: Connection): Promise<void> {
  const fields = await connection.data<readonly ListedField[]>({ path: 'fields' });
  const own = fields.filter(({ builtIn }) => !builtIn);
  current =
    own.length === 0
      ? builtInCatalog
      : catalogWith(
          builtInCatalog,
          READ,
          new Map([...Map.groupBy(own, ({ resource }) => resource)].map(([name, some]) => [name, some.map(ownField)])),
        );
}

function ownField({ name, label, type, meaning, default: initial, choices, indexed, searched }: ListedField): OwnField {
  return {
    name,
    label,
    type,
    meaning,
    initial,
    ...(choices && { choices }),
    ...(indexed && { indexed }),
    ...(searched && { searched }),
  };
}
