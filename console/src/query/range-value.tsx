/** The days of a range: two inputs, or what the name of the range means today. */

import { useId } from 'react';
import { timeZone } from '../format/local-time.ts';
import { formatDay } from '../format/values.ts';
import { type ConditionDraft, typed } from './condition-draft.ts';
import './timestamp-value.css';

export interface RangeValueProps {
  readonly draft: ConditionDraft;
  readonly autoFocus: boolean;
  readonly onChange: (values: ConditionDraft['values']) => void;
}

export function RangeValue({ draft, autoFocus, onChange }: RangeValueProps) {
  const id = useId();
  const [first = '', last = ''] = draft.values.map((value) => value?.text ?? '');
  if (draft.range !== 'between')
    return (
      <p className="timestamp-value-note">
        {first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`}, in {timeZone()}.
      </p>
    );
  return (
    <div className="timestamp-value">
      <div className="timestamp-value-inputs">
        <label className="visually-hidden" htmlFor={`${id}-first`}>
          First day
        </label>
        <input
          id={`${id}-first`}
          className="text-input"
          type="date"
          min="0001-01-02"
          max={last === '' ? '9999-12-30' : last}
          value={first}
          // biome-ignore lint/a11y/noAutofocus: the dialog has been opened to enter this value
          autoFocus={autoFocus}
          onChange={({ target }) => onChange([typed(target.value), typed(last)])}
        />
        <span aria-hidden="true">and</span>
        <label className="visually-hidden" htmlFor={`${id}-last`}>
          Last day
        </label>
        <input
          id={`${id}-last`}
          className="text-input"
          type="date"
          min={first === '' ? '0001-01-02' : first}
          max="9999-12-30"
          value={last}
          onChange={({ target }) => onChange([typed(first), typed(target.value)])}
        />
      </div>
      <p className="timestamp-value-note">Both days belong to it, in your time zone, {timeZone()}.</p>
    </div>
  );
}
