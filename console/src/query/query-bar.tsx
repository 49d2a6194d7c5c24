/** What is asked for: the filter as chips, and the same filter as text. */

import { printFilter } from 'stockbook/filter';
import { useView } from '../view/use-view.ts';
import { checkFilter } from './check-filter.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { FilterText } from './filter-text.tsx';
import { useFilterDraft } from './use-filter-draft.ts';
import './query-bar.css';

export function QueryBar() {
  const { view } = useView();
  const draft = useFilterDraft();
  const { checked, apply } = draft;
  const isReadable = checked.kind === 'valid' || checked.filter !== undefined;
  // Without syntax there is nothing to show but the filter before.
  const filter = isReadable ? checked.filter : checkFilter(view.resource, view.filter).filter;
  return (
    <div className="query-bar">
      <FilterBuilder
        resource={view.resource}
        filter={filter}
        isDisabled={!isReadable}
        onChange={(changed) => apply(changed === undefined ? '' : printFilter(changed))}
      />
      <FilterText draft={draft} />
    </div>
  );
}
