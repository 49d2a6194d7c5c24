/** Conditions that the words in the search box could mean, below it. The box has the focus, and says which one is marked. */

import { Icon } from '../ui/icon.tsx';
import type { Suggestion } from './suggest-conditions.ts';
import './option-list.css';
import './suggestion-list.css';

export interface SuggestionListProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly marked: number | undefined;
  readonly onTake: (suggestion: Suggestion) => void;
}

export function SuggestionList({ id, suggestions, marked, onTake }: SuggestionListProps) {
  // All of them leave the same words.
  const q = suggestions[0]?.q ?? '';
  const title = q === '' ? 'Show only where' : `Search for “${q}” where`;
  return (
    <div className="suggestion-list">
      <p className="suggestion-list-title" aria-hidden="true">
        {title}
      </p>
      <div className="option-list" id={id} role="listbox" aria-label={title}>
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys
          <div
            className="option"
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === marked}
            // The box has the focus, by the pattern of a combobox.
            tabIndex={-1}
            title={suggestion.filter}
            // It keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTake(suggestion)}
            key={suggestion.filter}
          >
            <Icon name="add" />
            <span className="option-text">{suggestion.words}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
