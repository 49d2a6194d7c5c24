/** How far something is. */

import { Label, ProgressBar } from 'react-aria-components';
import './progress.css';

export interface ProgressProps {
  readonly label: string;
  /** How much of it is done, such as `3 of 5 records`. */
  readonly text: string;
  /** From 0 to 1; undefined if nobody knows. */
  readonly share: number | undefined;
}

export function Progress({ label, text, share }: ProgressProps) {
  return (
    <ProgressBar
      className="progress"
      value={share ?? 0}
      maxValue={1}
      isIndeterminate={share === undefined}
      valueLabel={text}
    >
      {({ percentage = 0 }) => (
        <>
          <Label className="progress-label">{label}</Label>
          <span className="progress-text">{text}</span>
          <div className="progress-track" data-unknown={share === undefined || undefined}>
            <div className="progress-bar" style={{ width: share === undefined ? '30%' : `${percentage}%` }} />
          </div>
        </>
      )}
    </ProgressBar>
  );
}
