/** Changes of a live view in words, for people who do not see them. */

import type { ListedPage } from '../data/use-list.ts';
import { countOf } from '../format/values.ts';
import type { RowChange } from './page-difference.ts';

/** Empty if nothing has changed. */
export function describeChanges(changes: ReadonlyMap<number, RowChange>, { meta, of }: ListedPage): string {
  if (changes.size === 0) return '';
  const added = [...changes.values()].filter((change) => change === 'new').length;
  const changed = changes.size - added;
  const parts = [
    ...(added > 0 ? [countOf(added, 'new row', 'new rows')] : []),
    ...(changed > 0 ? [countOf(changed, 'row changed', 'rows changed')] : []),
    countOf(meta.total, of.resource.name, of.resource.plural),
  ];
  return `${parts.join(', ')}.`;
}
