/** The exact number of matches, and of all records. */

import { useList } from '../data/use-list.ts';
import { useTotal } from '../data/use-total.ts';
import { countOf, formatCount } from '../format/values.ts';
import { useView } from '../view/use-view.ts';
import { isNarrowed } from '../view/view.ts';
import './total.css';

export function Total() {
  const { view } = useView();
  const { data, isPlaceholderData, isError } = useList();
  const isFiltered = data !== undefined && isNarrowed(data.of);
  const all = useTotal(view.resource, isFiltered);
  const { name, plural } = view.resource;
  if (data === undefined) return <p className="total">{isError ? '' : '…'}</p>;
  const { total } = data.meta;
  return (
    <p className="total" aria-live="polite" data-outdated={isPlaceholderData || undefined}>
      {isFiltered && all !== undefined ? (
        <>
          <strong>{formatCount(total)}</strong> of {countOf(all, name, plural)}
        </>
      ) : (
        <>
          <strong>{formatCount(total)}</strong> {total === 1 ? name : plural}
        </>
      )}
    </p>
  );
}
