/** A choice among many options, or none, with its label. */

import { useId } from 'react';
import './select.css';
import './text-field.css';

export interface SelectFieldProps {
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly title: string }[];
  /** Undefined for the first entry, which is none of the options. */
  readonly value: string | undefined;
  /** What is chosen if none of the options is. */
  readonly none?: string;
  readonly onChange: (value: string | undefined) => void;
}

export function SelectField({ label, options, value = '', none = 'as recognised', onChange }: SelectFieldProps) {
  const id = useId();
  // A link may have one that is not offered.
  const all =
    value === '' || options.some((option) => option.id === value) ? options : [...options, { id: value, title: value }];
  return (
    <div className="text-field">
      <label htmlFor={id}>{label}</label>
      <select
        className="select"
        id={id}
        value={value}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      >
        <option value="">{none}</option>
        {all.map((option) => (
          <option value={option.id} key={option.id}>
            {option.title}
          </option>
        ))}
      </select>
    </div>
  );
}
