/** A day, or a point in time, in UTC. */

import { useId } from 'react';
import type { OperatorSymbol } from 'stockbook/filter';
import { readTimestamp } from '../../../src/catalog/timestamp.ts';
import './timestamp-value.css';

export interface TimestampValueProps {
  readonly operator: OperatorSymbol;
  readonly value: string;
  readonly autoFocus: boolean;
  readonly onChange: (value: string) => void;
}

export function TimestampValue({ operator, value, autoFocus, onChange }: TimestampValueProps) {
  const id = useId();
  const { date, time } = partsOf(value);
  const isExact = (operator === '=' || operator === '!=') && date !== '' && time === '';
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
          min="0001-01-01"
          max="9999-12-31"
          value={date}
          // biome-ignore lint/a11y/noAutofocus: the dialog has been opened to enter this value
          autoFocus={autoFocus}
          onChange={(event) => onChange(join(event.target.value, time))}
        />
        <label className="visually-hidden" htmlFor={`${id}-time`}>
          Time, UTC (optional)
        </label>
        <input
          id={`${id}-time`}
          className="text-input"
          type="time"
          step={1}
          value={time}
          onChange={(event) => onChange(join(date, event.target.value))}
        />
        <span className="timestamp-value-zone">UTC</span>
      </div>
      {isExact && (
        <p className="timestamp-value-note">
          Matches exactly 00:00:00. For the whole day, use ≥ this day and &lt; the next.
        </p>
      )}
    </div>
  );
}

/** `2026-01-31` has no time; other timestamps are converted to UTC. */
function partsOf(value: string): { readonly date: string; readonly time: string } {
  const timestamp = readTimestamp(value);
  if (timestamp === undefined) return { date: '', time: '' };
  const [date = '', rest = ''] = timestamp.split('T');
  const time = rest.replace('Z', '').replace('.000', '');
  return { date, time: value.length === date.length ? '' : time };
}

function join(date: string, time: string): string {
  if (date === '') return '';
  return time === '' ? date : `${date}T${time}Z`;
}
