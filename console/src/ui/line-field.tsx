/** A line of text that applies when somebody has finished typing it: with Enter, or by going elsewhere. */

import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import './text-field.css';

export interface LineFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly placeholder: string;
  readonly suggestions?: readonly string[];
  /** Undefined if it is empty. */
  readonly onChange: (value: string | undefined) => void;
}

export function LineField({ label, value = '', placeholder, suggestions = [], onChange }: LineFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => {
    if (text.trim() !== value) onChange(text.trim() === '' ? undefined : text.trim());
  };
  const applyOnEnter = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') apply();
  };
  return (
    <div className="text-field">
      <label htmlFor={id}>{label}</label>
      <input
        className="text-input"
        id={id}
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck="false"
        {...(suggestions.length > 0 && { list: `${id}-suggestions` })}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={applyOnEnter}
        onBlur={apply}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((suggestion) => (
            <option value={suggestion} key={suggestion} />
          ))}
        </datalist>
      )}
    </div>
  );
}
