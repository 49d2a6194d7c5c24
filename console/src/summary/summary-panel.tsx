/** What the records that match have in common: how many there are, their amounts, and charts that select some of them. */

import { type ReactNode, useMemo } from 'react';
import { useSession } from '../session/session.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { BarChart } from './bar-chart.tsx';
import { type Chart, type ChartKind, chartsOf } from './charts.ts';
import { FacetLoader } from './facet-loader.ts';
import { Histogram } from './histogram.tsx';
import { KeyFigures } from './key-figures.tsx';
import { useFigures } from './measures.ts';
import { FacetLoaderContext } from './use-facet.ts';
import './summary-panel.css';

/** From top to bottom, and what draws them. */
const SECTIONS: readonly (readonly [ChartKind, (props: { readonly chart: Chart }) => ReactNode])[] = [
  ['ranges', Histogram],
  ['values', BarChart],
  ['flags', BarChart],
  ['periods', Histogram],
];

export function SummaryPanel() {
  const { connection } = useSession();
  const { view } = useView();
  const { resource, filter } = view;
  const loader = useMemo(() => new FacetLoader(connection), [connection]);
  const isValid = checkFilter(resource, filter).kind === 'valid';
  const figures = useFigures(view, isValid);
  const { data, error, refetch } = figures;
  if (error !== null) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!isValid && data === undefined) return <Notice title="The summary needs a valid filter" />;
  return (
    <FacetLoaderContext value={loader}>
      <div className="summary-panel">
        <KeyFigures resource={resource} loading={figures} />
        {data?.total === 0 && <p className="summary-panel-note">Nothing to chart.</p>}
        {SECTIONS.map(([kind, ChartOfKind]) => {
          const charts = chartsOf(resource).filter((chart) => chart.kind === kind);
          if (charts.length === 0) return null;
          return (
            <div className={`summary-panel-${kind}`} key={kind}>
              {charts.map((chart) => (
                <ChartOfKind chart={chart} key={chart.field.name} />
              ))}
            </div>
          );
        })}
      </div>
    </FacetLoaderContext>
  );
}
