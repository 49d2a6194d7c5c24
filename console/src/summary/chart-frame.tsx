/** The frame of every chart: its name, what is selected, and the error if it cannot be drawn. */

import type { ReactNode } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import { describeError } from '../data/describe-error.ts';
import { timeZone } from '../format/local-time.ts';
import { Button } from '../ui/button.tsx';
import { isRefused } from './facet-loader.ts';
import type { LoadedFacet } from './use-facet.ts';
import './chart-frame.css';

export interface ChartFrameProps {
  readonly field: Field;
  readonly loaded: LoadedFacet;
  /** Whether the filter selects something of the field. Then the chart stays, even if it is empty: it can undo that. */
  readonly hasSelection: boolean;
  /** Beside the name: the range under the pointer, and buttons. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

export function ChartFrame({ field, loaded, hasSelection, aside, children }: ChartFrameProps) {
  const { facet, error, isOld, retry } = loaded;
  const isEmpty = facet !== undefined && facet.values.length + facet.ranges.length === 0;
  if (error === null && isEmpty && !hasSelection) return null;
  return (
    <figure
      className="chart-frame"
      aria-label={field.name}
      aria-busy={isOld || (facet === undefined && error === null)}
    >
      <figcaption className="chart-frame-caption">
        <h3 title={field.meaning}>{field.name}</h3>
        {field.type === 'timestamp' && <span className="chart-frame-zone">{timeZone()}</span>}
        <div className="chart-frame-aside">{error === null && aside}</div>
      </figcaption>
      {error !== null && <ChartError error={error} field={field} onRetry={retry} />}
      {error === null && (
        <div className="chart-frame-content" data-old={isOld || undefined}>
          {children}
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
        No chart of {field.name}: {detail} {error.suggestion ?? 'Add a condition to narrow it down.'}
      </p>
    );
  return (
    <p className="chart-frame-note">
      {title}. <Button onPress={onRetry}>Try again</Button>
    </p>
  );
}
