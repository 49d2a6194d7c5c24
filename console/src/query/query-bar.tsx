/** The filter, as chips and as text. */

import { type Filter, printFilter } from '@stockbook/client/filter';
import { memo, useCallback, useMemo } from 'react';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { FilterText } from './filter-text.tsx';
import { useFilterDraft } from './use-filter-draft.ts';
import './query-bar.css';

export function QueryBar() {
  const { view } = useView();
  const { resource, filter } = view;
  const draft = useFilterDraft();
  const { checked, apply } = draft;
  const isReadable = checked.kind === 'valid' || checked.filter !== undefined;
  // Text that does not parse has no chips: show those of the previous filter.
  const before = useMemo(() => checkFilter(resource, filter).filter, [resource, filter]);
  const change = useCallback(
    (changed: Filter | undefined) => apply(changed === undefined ? '' : printFilter(changed)),
    [apply],
  );
  return (
    <div className="query-bar">
      <Builder
        resource={resource}
        filter={isReadable ? checked.filter : before}
        isDisabled={!isReadable}
        onChange={change}
      />
      <FilterText draft={draft} />
    </div>
  );
}

/** A filter may have 200 chips. They stay as they are while somebody types. */
const Builder = memo(FilterBuilder);
