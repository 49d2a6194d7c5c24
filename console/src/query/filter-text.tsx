/** The filter as text: completed while it is typed, with errors marked at their position. Enter applies it. */

import { MAX_FILTER_BYTES } from '@stockbook/client/filter';
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Autocomplete, Group, Label, TextArea, TextField } from 'react-aria-components';
import { findField } from '../../../src/catalog/catalog.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useView } from '../view/use-view.ts';
import { type Completion, completionsAt, isFinished, type Site, siteAt } from './complete-filter.ts';
import type { FilterProblem } from './filter-problem.ts';
import { filterSpans } from './filter-spans.ts';
import { SyntaxHelpButton } from './syntax-help-button.tsx';
import type { FilterDraft } from './use-filter-draft.ts';
import { useKnownValues } from './use-known-values.ts';
import './filter-text.css';

const CompletionList = loadLater(() => import('./completion-list.tsx'));

export interface FilterTextProps {
  readonly draft: FilterDraft;
  readonly problem: FilterProblem | undefined;
  /** Whether it gets the focus, because somebody has just opened it. */
  readonly isFocused: boolean;
}

export default function FilterText({ draft, problem, isFocused }: FilterTextProps) {
  const { text, settled, type, enter, apply } = draft;
  const { view } = useView();
  const input = useRef<HTMLTextAreaElement>(null);
  const problemId = useId();
  const { caret, setCaret, moveTo } = useCaret(input);
  const [isCompleting, setCompleting] = useState(false);
  const site = useMemo(() => (isCompleting ? siteAt(text, caret) : undefined), [isCompleting, text, caret]);
  const completions = useCompletions(site);
  /** What Tab completes if nothing is chosen: it leaves a value that is complete. */
  const first = site === undefined || site.typed === '' || isFinished(view.resource, site) ? undefined : completions[0];

  const accept = ({ from, insert, back = 0 }: Completion) => {
    type(text.slice(0, from) + insert + text.slice(caret));
    moveTo(from + insert.length - back);
  };
  /** Before the list of completions handles it. */
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = input.current?.getAttribute('aria-activedescendant') ?? null;
    const completed = chosen === null ? first : completions.find(({ id }) => keyOf(chosen) === id);
    if (event.nativeEvent.isComposing || event.target !== input.current) return;
    if (event.key === 'Enter' && chosen === null) {
      event.preventDefault();
      event.stopPropagation();
      setCompleting(false);
      enter();
    } else if (event.key === 'Escape' && completions.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      setCompleting(false);
    } else if (event.key === 'Tab' && !event.shiftKey && completed !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      accept(completed);
    } else if (event.key === 'ArrowDown' && !isCompleting) {
      event.preventDefault();
      setCompleting(true);
    }
  };
  return (
    <div className="filter-text">
      <Group
        className="filter-text-field"
        onKeyDownCapture={onKeyDown}
        onBlur={({ currentTarget, relatedTarget }) => {
          if (currentTarget.contains(relatedTarget)) return;
          setCompleting(false);
          // What was typed counts for whatever is clicked next, such as a chip.
          if (text !== settled) enter();
        }}
      >
        <Autocomplete
          inputValue={text}
          onInputChange={(typed) => {
            type(oneLine(typed));
            setCaret(input.current?.selectionStart ?? typed.length);
            setCompleting(true);
          }}
          disableAutoFocusFirst
        >
          <TextField className="filter-text-input" autoFocus={isFocused} isInvalid={problem !== undefined}>
            <Label className="visually-hidden">Filter as text</Label>
            <HighlightedText text={text} problem={text === settled ? problem : undefined} />
            <TextArea
              ref={input}
              className="filter-text-area"
              rows={1}
              placeholder={view.resource.exampleFilter}
              aria-describedby={problem === undefined ? undefined : problemId}
              onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
              onFocus={() => setCompleting(text === '')}
            />
          </TextField>
          {completions.length > 0 && <CompletionList completions={completions} onAccept={accept} />}
        </Autocomplete>
        {text !== '' && (
          <Button look="quiet" aria-label="Clear the filter" onPress={() => apply('')}>
            <Icon name="remove" />
          </Button>
        )}
        <SyntaxHelpButton />
      </Group>
      <div className="filter-text-problem" id={problemId} aria-live="polite">
        {problem !== undefined && (
          <ProblemWords
            problem={problem}
            onFix={(fixed) => {
              apply(fixed);
              input.current?.focus();
            }}
            words={WORDS.test(settled) ? settled.trim() : undefined}
            onSearch={(q) => apply('', { q })}
          />
        )}
      </div>
    </div>
  );
}

/** The key of the option that an element shows. */
function keyOf(elementId: string): string | undefined {
  return document.getElementById(elementId)?.dataset['key'];
}

/** Text that can only be meant as a search. */
const WORDS = /^[\p{L}\p{N}\s.'’-]+$/u;

interface ProblemWordsProps {
  readonly problem: FilterProblem;
  readonly onFix: (fixed: string) => void;
  /** What could be searched for instead. */
  readonly words: string | undefined;
  readonly onSearch: (words: string) => void;
}

function ProblemWords({ problem, onFix, words, onSearch }: ProblemWordsProps) {
  const { detail, suggestion, fixed } = problem;
  return (
    <>
      <Icon name="warning" />
      <p>
        {detail} {suggestion}
      </p>
      {fixed !== undefined && <Button onPress={() => onFix(fixed)}>Fix</Button>}
      {words !== undefined && <Button onPress={() => onSearch(words)}>Search for “{words}”</Button>}
    </>
  );
}

/** Lies under the text area, has the same lines, and gives it its height. */
function HighlightedText({ text, problem }: { readonly text: string; readonly problem: FilterProblem | undefined }) {
  const isAtEnd = problem?.at === text.length;
  return (
    <div className="filter-text-shown" aria-hidden="true">
      {filterSpans(text, problem?.at).map(({ kind, text: part, from, isWrong }) => (
        <span data-kind={kind} data-wrong={isWrong || undefined} key={from}>
          {part}
        </span>
      ))}
      {/* A line has its height even without text. */}
      <span data-wrong={isAtEnd || undefined}>{'\u00a0'}</span>
    </div>
  );
}

function useCompletions(site: Site | undefined): readonly Completion[] {
  const { view } = useView();
  const { resource } = view;
  const isValue = site?.kind === 'value' && site.operator !== '*' && site.operator !== '!*';
  const field = isValue ? findField(resource, site.field) : undefined;
  const known = useKnownValues(resource, field, isValue ? site.typed.replaceAll('"', '') : '', '');
  return useMemo(() => (site === undefined ? [] : completionsAt(resource, site, known)), [resource, site, known]);
}

/** Where the caret is, and how to move it once the text has changed. */
function useCaret(input: RefObject<HTMLTextAreaElement | null>) {
  const [caret, setCaret] = useState(0);
  const wanted = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    input.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  });
  const moveTo = (position: number) => {
    wanted.current = position;
    setCaret(position);
  };
  return { caret, setCaret, moveTo };
}

/** More characters than any filter has, so that the error can still be seen. */
const MAX_TYPED = 2 * MAX_FILTER_BYTES;

/** Pasted text may have line breaks, which no filter has, and any length. */
function oneLine(text: string): string {
  const line = text.includes('\n')
    ? text
        .split('\n')
        .map((part) => part.trim())
        .join(' ')
    : text;
  return line.slice(0, MAX_TYPED);
}
