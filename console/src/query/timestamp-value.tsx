/** A day, or a point in time, in the reader's time zone, and what follows for the filter. */

import { useId } from 'react';
import { localPartsOf, timeZone } from '../format/local-time.ts';
import { type ConditionDraft, type DraftValue, isDay, typed } from './condition-draft.ts';
import { boundWords } from './condition-words.ts';
import { meaningOf } from './meaning-of-draft.ts';
import './timestamp-value.css';

export interface TimestampValueProps {
  readonly draft: ConditionDraft;
  readonly value: DraftValue;
  readonly autoFocus: boolean;
  readonly onChange: (value: DraftValue) => void;
}

export function TimestampValue({ draft, value, autoFocus, onChange }: TimestampValueProps) {
  const id = useId();
  const { day, time } = partsOf(draft, value);
  const meaning = meaningOf(draft);
  const words = meaning.kind === 'filter' && day !== '' ? boundWords(meaning.filter) : undefined;
  return (
    <div className="timestamp-value">
      <div className="timestamp-value-inputs">
        <label className="visually-hidden" htmlFor={`${id}-date`}>
          Day
        </label>
        <input
          id={`${id}-date`}
          className="text-input"
          type="date"
          // In every time zone, these days are within the years that timestamps have.
          min="0001-01-02"
          max="9999-12-30"
          value={day}
          // biome-ignore lint/a11y/noAutofocus: the dialog has been opened to enter this value
          autoFocus={autoFocus}
          onChange={(event) => onChange(join(event.target.value, time))}
        />
        <label className="visually-hidden" htmlFor={`${id}-time`}>
          Time, {timeZone()} (optional)
        </label>
        <input
          id={`${id}-time`}
          className="text-input"
          type="time"
          step={time.includes('.') ? 0.001 : 1}
          value={time}
          onChange={(event) => onChange(join(day, event.target.value))}
        />
      </div>
      <p className="timestamp-value-note">
        {words === undefined ? `In your time zone, ${timeZone()}.` : `${words}, in ${timeZone()}.`}
      </p>
    </div>
  );
}

function partsOf(draft: ConditionDraft, value: DraftValue): { readonly day: string; readonly time: string } {
  if (value.kind === 'typed') {
    const [day = '', time = ''] = value.text.split('T');
    return { day, time };
  }
  const parts = localPartsOf(value.text);
  if (parts === undefined) return { day: '', time: '' };
  return { day: parts.day, time: isDay(draft, value) ? '' : parts.time.replace('.000', '') };
}

function join(day: string, time: string): DraftValue {
  return typed(day === '' || time === '' ? day : `${day}T${time}`);
}
