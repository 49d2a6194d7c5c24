/** How the filter may continue, below its text. */

import { ListBox, ListBoxItem } from 'react-aria-components';
import type { Completion } from './complete-filter.ts';
import './completion-list.css';
import './option-list.css';

export interface CompletionListProps {
  readonly completions: readonly Completion[];
  readonly onAccept: (completion: Completion) => void;
}

export default function CompletionList({ completions, onAccept }: CompletionListProps) {
  return (
    <ListBox
      className="completion-list option-list"
      aria-label="Completions"
      items={completions}
      dependencies={[completions]}
      onAction={(key) => {
        const chosen = completions.find(({ id }) => id === key);
        if (chosen !== undefined) onAccept(chosen);
      }}
    >
      {(completion) => (
        <ListBoxItem className="option" textValue={completion.text}>
          <span className="option-text completion-list-text">{completion.text}</span>{' '}
          <span className="option-meaning">{completion.meaning}</span>
        </ListBoxItem>
      )}
    </ListBox>
  );
}
