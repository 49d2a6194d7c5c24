/** What an import did, in a sentence. */

import type { ResourceOutline } from '../catalog/resource.ts';
import { count, withSeparators } from './output.ts';

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly skipped: number;
}

/** `Imported 1,000 products into acme: 5 created, 3 updated, 992 unchanged, 0 removed, 0 rejected.` */
export function importSummary(
  { created, updated, unchanged, removed, skipped: rejected }: ImportCounts,
  resource: ResourceOutline,
  account: string,
  verb: 'Imported' | 'Would import' = 'Imported',
): string {
  const rows = count(created + updated + unchanged, resource.name, resource.plural);
  const parts = Object.entries({ created, updated, unchanged, removed, rejected }).map(
    ([what, number]) => `${withSeparators(number)} ${what}`,
  );
  return `${verb} ${rows} into ${account}: ${parts.join(', ')}.`;
}
