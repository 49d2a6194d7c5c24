/** A line of text with values to choose from below it. */

import { Autocomplete, Input, ListBox, ListBoxItem, TextField } from 'react-aria-components';
import type { KnownValue } from './complete-filter.ts';
import '../ui/text-field.css';
import './option-list.css';

export interface SuggestingInputProps {
  readonly label: string;
  readonly placeholder: string;
  readonly inputMode: 'text' | 'decimal';
  readonly value: string;
  readonly autoFocus: boolean;
  readonly values: readonly KnownValue[];
  readonly onChange: (text: string) => void;
  readonly onPick: (text: string) => void;
}

export function SuggestingInput(props: SuggestingInputProps) {
  const { label, placeholder, inputMode, value, values, autoFocus, onChange, onPick } = props;
  return (
    <Autocomplete inputValue={value} onInputChange={onChange} disableAutoFocusFirst>
      <TextField aria-label={label} autoFocus={autoFocus}>
        <Input className="text-input" placeholder={placeholder} inputMode={inputMode} />
      </TextField>
      {values.length > 0 && (
        <ListBox
          className="option-list"
          aria-label="Suggested values"
          items={values.map((known) => ({ ...known, id: known.text }))}
          onAction={(key) => onPick(String(key))}
        >
          {({ id, text, meaning }) => (
            <ListBoxItem className="option" id={id} textValue={text}>
              <span className="option-text">{text}</span> <span className="option-meaning">{meaning}</span>
            </ListBoxItem>
          )}
        </ListBox>
      )}
    </Autocomplete>
  );
}
