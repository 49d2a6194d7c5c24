/** What is searched for, and the filter as chips. Its text is there for those who open it. */

import { type Filter, printFilter } from '@stockbook/client/filter';
import { memo, useCallback, useMemo, useState } from 'react';
import { useList } from '../data/use-list.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { readPreference, writePreference } from '../ui/preference.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { problemOf } from './filter-problem.ts';
import { SearchBox } from './search-box.tsx';
import { useFilterDraft } from './use-filter-draft.ts';
import './query-bar.css';

const FilterText = loadLater(() => import('./filter-text.tsx'));

export function QueryBar() {
  const { view } = useView();
  const { resource, filter } = view;
  const draft = useFilterDraft();
  const { settled, checked, apply } = draft;
  const isReadable = checked.kind === 'valid' || checked.filter !== undefined;
  // Text that does not parse has no chips: show those of the previous filter.
  const before = useMemo(() => checkFilter(resource, filter).filter, [resource, filter]);
  const change = useCallback(
    (changed: Filter | undefined) => apply(changed === undefined ? '' : printFilter(changed)),
    [apply],
  );
  const problem = problemOf(settled, checked, useList().error);
  const [text, setText] = useState<'closed' | 'shown' | 'opened'>(() =>
    readPreference('filter-text', ['closed', 'shown']),
  );
  // Only the text shows where an error is.
  if (problem !== undefined && text === 'closed') setText('shown');
  const toggleText = () => {
    const isOpened = text === 'closed';
    writePreference('filter-text', isOpened ? 'shown' : 'closed');
    setText(isOpened ? 'opened' : 'closed');
  };
  return (
    <div className="query-bar">
      <SearchBox />
      <div className="query-bar-filter">
        <Builder
          resource={resource}
          filter={isReadable ? checked.filter : before}
          isDisabled={!isReadable}
          onChange={change}
        />
        <Button
          look="quiet"
          aria-label="Filter as text"
          aria-expanded={text !== 'closed'}
          isDisabled={problem !== undefined}
          onPress={toggleText}
        >
          <Icon name="code" />
          <span className="query-bar-label">Filter as text</span>
        </Button>
      </div>
      {text !== 'closed' && <FilterText draft={draft} problem={problem} isFocused={text === 'opened'} />}
    </div>
  );
}

/** A filter may have 200 chips. They stay as they are while somebody types. */
const Builder = memo(FilterBuilder);
