/** The frame of every chart: its name, what is selected, and the error if it cannot be drawn. */

import type { ReactNode } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { describeError } from '../data/describe-error.ts';
import { describeField } from '../format/field-words.ts';
import { timeZone } from '../format/local-time.ts';
import { Button } from '../ui/button.tsx';
import { isRefused } from './facet-loader.ts';
import type { Loaded } from './use-facet.ts';
import './chart-frame.css';

export interface ChartFrameProps {
  readonly field: Field;
  readonly loaded: Loaded<unknown>;
  /** Whether there is nothing to show. */
  readonly isEmpty: boolean;
  /** Whether the filter selects something of the field. Then the chart stays, even if it is empty: it can undo that. */
  readonly hasSelection: boolean;
  /** Beside the name: buttons. */
  readonly aside?: ReactNode;
  /** As high as the chart is going to be. */
  readonly placeholder: ReactNode;
  readonly children: ReactNode;
}

export function ChartFrame({ field, loaded, isEmpty, hasSelection, aside, placeholder, children }: ChartFrameProps) {
  const { data, error, isOld, retry } = loaded;
  const isShown = data !== undefined && error === null;
  if (isShown && isEmpty && !hasSelection) return null;
  return (
    <figure className="chart-frame" aria-label={field.label} aria-busy={isOld || (!isShown && error === null)}>
      <figcaption className="chart-frame-caption">
        <h3 title={describeField(field)}>{field.label}</h3>
        {storageOf(field) === 'timestamp' && <span className="chart-frame-zone">{timeZone()}</span>}
        <div className="chart-frame-aside">{isShown && aside}</div>
      </figcaption>
      {isShown ? (
        <div className="chart-frame-content" data-old={isOld || undefined}>
          {children}
        </div>
      ) : (
        <div className="chart-frame-missing">
          <div className="chart-frame-placeholder" data-failed={error !== null || undefined} aria-hidden="true">
            {placeholder}
          </div>
          {error !== null && <ChartError error={error} field={field} onRetry={retry} />}
        </div>
      )}
    </figure>
  );
}

function ChartError({ error, field, onRetry }: { error: Error; field: Field; onRetry: () => void }) {
  const { title, detail } = describeError(error);
  if (isRefused(error))
    return (
      <p className="chart-frame-note">
        No chart of {field.label}: {detail} {error.suggestion ?? 'Add a condition to narrow it down.'}
      </p>
    );
  return (
    <p className="chart-frame-note">
      {title}. <Button onPress={onRetry}>Try again</Button>
    </p>
  );
}
