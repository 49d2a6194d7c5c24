/** Several values. Enter or a separator adds one; a pasted column of a spreadsheet adds many. */

import { MAX_LIST_ITEMS } from '@stockbook/client/filter';
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react';
import { Button, Tag, TagGroup, TagList, ToggleButton } from 'react-aria-components';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isNumeric, storageOf } from '../../../src/catalog/value-types.ts';
import { formatCount } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { Icon } from '../ui/icon.tsx';
import { type ConditionDraft, type DraftValue, exact, exactOrNull, isBlank, typed } from './condition-draft.ts';
import { valueWords } from './condition-words.ts';
import { readingsOf } from './meaning-of-draft.ts';
import { splitValues } from './split-values.ts';
import { SuggestingInput } from './suggesting-input.tsx';
import { useKnownValues } from './use-known-values.ts';
import './list-value.css';

export interface ListValueProps {
  readonly resource: Resource;
  readonly draft: ConditionDraft;
  readonly context: string;
  readonly autoFocus: boolean;
  readonly onChange: (values: ConditionDraft['values']) => void;
}

/** The maximum number of tags that are drawn: a pasted column may have a thousand values. */
const MAX_SHOWN = 100;

export function ListValue({ resource, draft, context, autoFocus, onChange }: ListValueProps) {
  const { field } = draft;
  const { tags, input } = partsOf(draft);
  const [leftOut, setLeftOut] = useState(0);
  const known = useKnownValues(resource, field, input, context);
  const change = (values: ConditionDraft['values'], rest = '') => {
    const distinct = [...new Map(values.map((value) => [keyOf(value), value])).values()];
    setLeftOut(Math.max(0, distinct.length - MAX_LIST_ITEMS));
    onChange([...distinct.slice(0, MAX_LIST_ITEMS), typed(rest)]);
  };
  const add = (texts: readonly string[], mayBeMany: boolean) =>
    change([
      ...tags,
      ...texts
        .map(typed)
        .filter((value) => !isBlank(value))
        .flatMap((value) => settled(field, value, mayBeMany)),
    ]);
  /** Before the list of suggestions handles it, or the form. */
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement)) return;
    if (event.key === 'Enter' && target.hasAttribute('aria-activedescendant')) return;
    // A comma may be part of a number.
    const isSeparator = event.key === ';' || (event.key === ',' && storageOf(field) !== 'real');
    if ((event.key === 'Enter' || isSeparator) && input.trim() !== '') {
      event.preventDefault();
      event.stopPropagation();
      add(splitValues(field, input), true);
    } else if (event.key === 'Backspace' && input === '') {
      change(tags.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text').trim();
    const texts = splitValues(field, pasted);
    if (texts.length === 1) return;
    event.preventDefault();
    // In the cells of a spreadsheet, commas do not separate values.
    add(texts, !/[\t\r\n;]/.test(pasted));
  };
  return (
    <div className="list-value" onPasteCapture={onPaste} onKeyDownCapture={onKeyDown}>
      <TagGroup
        aria-label="Values"
        onRemove={(keys) =>
          change(
            tags.filter((value) => !keys.has(keyOf(value))),
            input,
          )
        }
      >
        <TagList
          className="list-value-tags"
          items={tags.slice(0, MAX_SHOWN).map((value) => ({ id: keyOf(value), words: wordsOf(draft, value) }))}
        >
          {({ id, words }) => (
            <Tag className="list-value-tag" id={id} textValue={words}>
              {words}
              <Button className="list-value-remove" slot="remove">
                <Icon name="remove" />
              </Button>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      {tags.length > MAX_SHOWN && <p className="list-value-note">and {formatCount(tags.length - MAX_SHOWN)} more</p>}
      {leftOut > 0 && (
        <p className="list-value-note" role="status">
          A list has at most {formatCount(MAX_LIST_ITEMS)} values. {formatCount(leftOut)} were left out.
        </p>
      )}
      <SuggestingInput
        autoFocus={autoFocus}
        label="Add a value"
        placeholder="Add a value"
        inputMode={isNumeric(field) ? 'decimal' : 'text'}
        value={input}
        values={known.filter(({ text }) => !tags.some((value) => value?.text === text))}
        onChange={(text) => change(tags, text)}
        onPick={(text) => change([...tags, exact(text)])}
      />
      {field.nullable && (
        <ToggleButton
          className="list-value-null"
          isSelected={tags.includes(null)}
          onChange={(isSelected) =>
            change(isSelected ? [...tags, null] : tags.filter((value) => value !== null), input)
          }
        >
          <Icon name={tags.includes(null) ? 'check' : 'add'} />
          or {wordFor(null)}
        </ToggleButton>
      )}
    </div>
  );
}

/** The last value is what is being typed. */
function partsOf({ values }: ConditionDraft): { readonly tags: ConditionDraft['values']; readonly input: string } {
  const last = values.at(-1);
  return last?.kind === 'typed' ? { tags: values.slice(0, -1), input: last.text } : { tags: values, input: '' };
}

/** What can be read in one way only need not be asked about. */
function settled(field: Field, value: DraftValue, mayBeMany: boolean): ConditionDraft['values'] {
  const [reading = [], ...others] = readingsOf(field, typed(value.text.trim()), mayBeMany);
  return others.length === 0 ? reading.map(exactOrNull) : [value];
}

function wordsOf({ field, operator }: ConditionDraft, value: DraftValue | null): string {
  return value?.kind === 'typed' ? `${value.text.trim()} ?` : valueWords(value?.text ?? null, field.type, operator);
}

/** The text `null` is another value. */
function keyOf(value: DraftValue | null): string {
  return value === null ? 'null' : `${value.kind}=${value.text}`;
}
