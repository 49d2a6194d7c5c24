/** Several values. Enter or a comma adds one; a pasted column of a spreadsheet adds many. */

import { type ClipboardEvent, type FocusEvent, type KeyboardEvent, useState } from 'react';
import { Button, Tag, TagGroup, TagList, ToggleButton } from 'react-aria-components';
import { MAX_LIST_ITEMS } from 'stockbook/filter';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { formatCount } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { Icon } from '../ui/icon.tsx';
import { SuggestingInput } from './suggesting-input.tsx';
import { useKnownValues } from './use-known-values.ts';
import './list-value.css';

export interface ListValueProps {
  readonly resource: Resource;
  readonly field: Field;
  readonly context: string;
  readonly autoFocus: boolean;
  readonly values: readonly (string | null)[];
  readonly onChange: (values: readonly (string | null)[]) => void;
}

/** The most tags that are drawn: a pasted column may have a thousand values. */
const MAX_SHOWN = 100;

export function ListValue({ resource, field, context, values, autoFocus, onChange }: ListValueProps) {
  const [typed, setTyped] = useState('');
  const [leftOut, setLeftOut] = useState(0);
  const known = useKnownValues(resource, field, typed, context);
  const isText = field.type === 'text';
  const add = (added: readonly (string | null)[]) => {
    setTyped('');
    const fresh = added.filter((value) => value === null || value.trim() !== '');
    const all = [...new Set([...values, ...fresh])];
    setLeftOut(Math.max(0, all.length - MAX_LIST_ITEMS));
    onChange(all.slice(0, MAX_LIST_ITEMS));
  };
  /** Before the list of suggestions handles it, or the form. */
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement)) return;
    if (event.key === 'Enter' && target.hasAttribute('aria-activedescendant')) return;
    const isAdding = (event.key === 'Enter' || event.key === ',') && typed.trim() !== '';
    if (isAdding) {
      event.preventDefault();
      event.stopPropagation();
      add([typed.trim()]);
    } else if (event.key === 'Backspace' && typed === '') {
      onChange(values.slice(0, -1));
    }
  };
  /** What is typed is not lost if somebody goes on without Enter. */
  const onBlur = (event: FocusEvent) => {
    if (event.isTrusted && !event.currentTarget.contains(event.relatedTarget) && typed.trim() !== '')
      add([typed.trim()]);
  };
  const onPaste = (event: ClipboardEvent) => {
    const parts = event.clipboardData.getData('text').split(isText ? /[\t\r\n]+/ : /[\s,;]+/);
    if (parts.length === 1) return;
    event.preventDefault();
    add(parts.map((part) => part.trim()));
  };
  return (
    <div className="list-value" onPasteCapture={onPaste} onKeyDownCapture={onKeyDown} onBlurCapture={onBlur}>
      <TagGroup aria-label="Values" onRemove={(keys) => onChange(values.filter((value) => !keys.has(keyOf(value))))}>
        <TagList
          className="list-value-tags"
          items={values.slice(0, MAX_SHOWN).map((value) => ({ id: keyOf(value), value }))}
        >
          {({ id, value }) => (
            <Tag className="list-value-tag" id={id} textValue={wordFor(value) ?? value ?? ''}>
              {wordFor(value) ?? value}
              <Button className="list-value-remove" slot="remove">
                <Icon name="remove" />
              </Button>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      {values.length > MAX_SHOWN && (
        <p className="list-value-note">and {formatCount(values.length - MAX_SHOWN)} more</p>
      )}
      {leftOut > 0 && (
        <p className="list-value-note" role="status">
          A list has at most {formatCount(MAX_LIST_ITEMS)} values. {formatCount(leftOut)} were left out.
        </p>
      )}
      <SuggestingInput
        autoFocus={autoFocus}
        label="Add a value"
        placeholder="Add a value"
        inputMode={isText || field.type === 'timestamp' ? 'text' : 'decimal'}
        value={typed}
        values={known.filter(({ text }) => !values.includes(text))}
        onChange={setTyped}
        onPick={(text) => add([text])}
      />
      {field.nullable && (
        <ToggleButton
          className="list-value-null"
          isSelected={values.includes(null)}
          onChange={(isSelected) => (isSelected ? add([null]) : onChange(values.filter((value) => value !== null)))}
        >
          <Icon name={values.includes(null) ? 'check' : 'add'} />
          or {wordFor(null)}
        </ToggleButton>
      )}
    </div>
  );
}

/** The text `null` is another value. */
function keyOf(value: string | null): string {
  return value === null ? 'null' : `=${value}`;
}
