/** Changes of a live view in words, for people who do not see them. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { countOf } from '../format/values.ts';
import type { RowChange } from './page-difference.ts';

/** Empty if nothing has changed. */
export function describeChanges(
  changes: ReadonlyMap<number, RowChange>,
  total: number,
  { name, plural }: Resource,
): string {
  if (changes.size === 0) return '';
  const added = count(changes, 'new');
  const moved = count(changes, 'moved');
  const changed = changes.size - added - moved;
  const parts = [
    ...(added > 0 ? [countOf(added, 'new row', 'new rows')] : []),
    ...(changed > 0 ? [countOf(changed, 'row changed', 'rows changed')] : []),
    ...(moved > 0 ? [countOf(moved, 'row moved onto this page', 'rows moved onto this page')] : []),
    countOf(total, name, plural),
  ];
  return `${parts.join(', ')}.`;
}

function count(changes: ReadonlyMap<number, RowChange>, kind: 'new' | 'moved'): number {
  return [...changes.values()].filter((change) => change === kind).length;
}
