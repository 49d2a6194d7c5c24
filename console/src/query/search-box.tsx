/**
 * The one box: what is typed is searched for, and conditions that it could mean are offered below. A combobox, in which Enter searches
 * unless one of them is marked.
 */

import { type ChangeEvent, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import type { Resource } from '../../../src/catalog/resource.ts';
import { SHORTCUTS } from '../shortcuts/shortcuts.ts';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { andFilter } from './edit-filter.ts';
import { type Suggestion, suggestConditions } from './suggest-conditions.ts';
import { SuggestionList } from './suggestion-list.tsx';
import { useSearchDraft } from './use-search-draft.ts';
import './search-box.css';

export function SearchBox() {
  const { view } = useView();
  const { resource, filter } = view;
  const { text, problem, type, enter, apply } = useSearchDraft();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const problemId = useId();
  const [isOpen, setOpen] = useState(false);
  /** The index of the suggestion that Enter takes. */
  const [marked, setMarked] = useState<number>();
  const suggestions = useMemo(() => (isOpen ? suggestConditions(resource, text) : []), [isOpen, resource, text]);
  const isListed = suggestions.length > 0;
  useShortcut('search', () => {
    input.current?.focus();
    input.current?.select();
  });

  const close = () => {
    setOpen(false);
    setMarked(undefined);
  };
  const take = ({ q, filter: condition }: Suggestion) => {
    apply(q, { filter: andFilter(filter, condition) });
    close();
  };
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>) => {
    type(target.value);
    setOpen(true);
    setMarked(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, nativeEvent, altKey, ctrlKey, metaKey } = event;
    if (nativeEvent.isComposing || altKey || ctrlKey || metaKey) return;
    const chosen = marked === undefined ? undefined : suggestions[marked];
    if (key === 'Enter') {
      if (chosen !== undefined) return take(chosen);
      close();
      enter();
    } else if (key === 'Escape' && isListed) {
      event.preventDefault();
      close();
    } else if (key === 'Escape' && text !== '') {
      event.preventDefault();
      apply('');
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (isOpen) setMarked(nextMark(marked, suggestions.length, key === 'ArrowDown' ? 1 : -1));
      else setOpen(true);
    }
  };
  return (
    <div className="search-box">
      <div className="search-box-field">
        <Icon name="search" />
        <input
          className="search-box-input"
          ref={input}
          type="text"
          role="combobox"
          aria-label={`Search ${resource.plural}`}
          aria-autocomplete="list"
          aria-expanded={isListed}
          aria-controls={isListed ? listId : undefined}
          aria-activedescendant={isListed && marked !== undefined ? `${listId}-${marked}` : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : problemId}
          placeholder={placeholderOf(resource)}
          autoComplete="off"
          autoCapitalize="none"
          enterKeyHint="search"
          spellCheck={false}
          value={text}
          onChange={onChange}
          onKeyDown={onKeyDown}
          onBlur={() => {
            close();
            // What was typed counts for whatever is clicked next.
            enter();
          }}
        />
        {text === '' ? (
          <span className="search-box-key" aria-hidden="true">
            <kbd>{SHORTCUTS.search.keys}</kbd>
          </span>
        ) : (
          <Button
            look="quiet"
            aria-label="Clear the search"
            onPress={() => {
              apply('');
              input.current?.focus();
            }}
          >
            <Icon name="remove" />
          </Button>
        )}
      </div>
      {isListed && <SuggestionList id={listId} suggestions={suggestions} marked={marked} onTake={take} />}
      <p className="visually-hidden" role="status">
        {isListed && `${suggestions.length === 1 ? 'A condition is' : `${suggestions.length} conditions are`} offered.`}
      </p>
      {problem !== undefined && (
        <p className="search-box-problem" id={problemId} role="alert">
          {problem.detail} {problem.context.suggestion}
        </p>
      )}
    </div>
  );
}

/** From the last one on to none, which is the text itself, and again from the start. */
function nextMark(marked: number | undefined, count: number, step: 1 | -1): number | undefined {
  const next = (marked ?? (step === 1 ? -1 : count)) + step;
  return next >= 0 && next < count ? next : undefined;
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' });

/** `Search products by name or product code`. */
function placeholderOf({ plural, fields }: Resource): string {
  const searched = fields.filter((field) => field.searched).map(({ label }) => label.toLowerCase());
  return `Search ${plural} by ${alternatives.format(searched)}`;
}
