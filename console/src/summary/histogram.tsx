/** How the numbers or timestamps of a field are distributed. A range is selected by dragging over the bars, or with two sliders. */

import { useRef, useState } from 'react';
import { PERIODS } from '../../../src/plan/aggregate.ts';
import type { Value } from '../data/records.ts';
import { countOf, formatCount, formatValue } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { type Bin, binsOf, countIn, type Stretch, stretchOf, wholeBins } from './bins.ts';
import { ChartFrame } from './chart-frame.tsx';
import type { Chart } from './charts.ts';
import { HistogramPlot } from './histogram-plot.tsx';
import { HistogramSliders } from './histogram-sliders.tsx';
import { useTimeSpans } from './measures.ts';
import { formatPeriod, type Period, periodFacet, periodFor } from './period.ts';
import { contextOf, positionOf, type Range, rangeIn, selectRange, toggleValue } from './selection.ts';
import { useFacet } from './use-facet.ts';
import './histogram.css';

/** About how many ranges a chart of numbers has. */
const RANGES = 36;

export function Histogram({ chart }: { readonly chart: Chart }) {
  const { field } = chart;
  const { view, show, adjust } = useView();
  const [isZoomed, setZoomed] = useState(false);
  const [dragged, setDragged] = useState<Stretch>();
  const [pointed, setPointed] = useState<number>();
  const selected = rangeIn(view.filter, field);
  const isInside = isZoomed && selected !== undefined;
  const name = useFacetName(chart, isInside ? selected : undefined);
  const loaded = useFacet(name, isInside ? view.filter : contextOf(view.filter, chart));
  const { facet } = loaded;
  const period = facet === undefined ? undefined : periodOf(facet.name);
  const bins = binsOf(facet?.ranges ?? [], period);
  const chosen = selected === undefined ? undefined : stretchOf(bins, selected);
  const stretch = dragged ?? chosen;
  const labelOf = ({ from, to }: Bin): string => {
    if (period !== undefined) return formatPeriod(String(from), period);
    return `${from === null ? '' : formatValue(from, 'number')} – ${to === null ? '' : formatValue(to, 'number')}`;
  };
  const labelOfBins = (whole: Stretch): string => {
    const [first, last] = [bins[whole[0]], bins[whole[1] - 1]];
    if (first === undefined || last === undefined) return '';
    if (first === last) return labelOf(first);
    return period === undefined ? labelOf({ ...first, to: last.to }) : `${labelOf(first)} – ${labelOf(last)}`;
  };
  const end = (position: number | undefined): Value | undefined => {
    if (!isInside || position === undefined) return undefined;
    return period === undefined ? position : new Date(position).toISOString();
  };
  /** The filter of the latest selection. While it is unchanged, further keys on a slider adjust it. */
  const latest = useRef<string | undefined>(undefined);
  const select = (whole: Stretch, isContinued = false) => {
    setDragged(undefined);
    const [from, to] = whole;
    // At either end of the chart, the selection keeps its bound: none, or that of the part that is zoomed into.
    const filter = selectRange(
      view.filter,
      field,
      from === 0 ? end(selected?.from) : bins[from]?.from,
      to === bins.length ? end(selected?.to) : bins[to - 1]?.to,
    );
    (isContinued && latest.current === view.filter ? adjust : show)({ filter });
    latest.current = filter;
  };
  const clear = () => {
    setZoomed(false);
    show({ filter: selectRange(view.filter, field, undefined, undefined) });
  };
  const shown = dragged ?? (pointed === undefined ? undefined : ([pointed, pointed + 1] as const));
  const { resource } = view;
  return (
    <ChartFrame
      field={field}
      loaded={loaded}
      hasSelection={selected !== undefined}
      aside={
        <>
          {shown ? (
            <span>
              {labelOfBins(shown)}: {countOf(countIn(bins, shown), resource.name, resource.plural)}
            </span>
          ) : (
            stretch !== undefined && <span>{labelOfBins(wholeBins(bins, stretch))}</span>
          )}
          {selected !== undefined && (
            <>
              <Button look="quiet" onPress={() => setZoomed(!isZoomed)}>
                {isZoomed ? 'Zoom out' : 'Zoom in'}
              </Button>
              <Button look="quiet" onPress={clear} aria-label={`Clear ${field.name}`}>
                <Icon name="remove" />
              </Button>
            </>
          )}
        </>
      }
    >
      {bins.length > 0 && (
        <>
          <HistogramPlot
            bins={bins}
            selected={stretch}
            onPoint={setPointed}
            onDrag={setDragged}
            onSelect={(whole) => (isSame(chosen, whole) ? clear() : select(whole))}
          />
          <HistogramSliders
            field={field}
            bins={bins}
            selected={stretch === undefined ? [0, bins.length] : wholeBins(bins, stretch)}
            labelOf={labelOf}
            onDrag={setDragged}
            onSelect={select}
          />
          <BinTable caption={field.name} bins={bins} labelOf={labelOf} />
        </>
      )}
      {(facet?.values ?? []).map((group) => (
        <NoValue chart={chart} count={group.count} key="none" />
      ))}
    </ChartFrame>
  );
}

function isSame(stretch: Stretch | undefined, [from, to]: Stretch): boolean {
  return stretch !== undefined && stretch[0] === from && stretch[1] === to;
}

/** The facet to request. Undefined until the time span is known. */
function useFacetName({ field, kind }: Chart, within: Range | undefined): string | undefined {
  const { view } = useView();
  const spans = useTimeSpans(view.resource);
  if (kind === 'ranges') return `${field.name}:${RANGES}`;
  if (spans === undefined) return undefined;
  const { from: first = 0, to: last = 0 } = spans.get(field.name) ?? {};
  return periodFacet(field.name, periodFor(within?.from ?? first, within?.to ?? last));
}

/** The facet that is shown may be older than what is requested now. */
function periodOf(facet: string): Period | undefined {
  const by = facet.split(':')[1]?.split('@')[0];
  return PERIODS.find((period) => period === by);
}

/** Records without a value are in no range. */
function NoValue({ chart, count }: { readonly chart: Chart; readonly count: number }) {
  const { view, show } = useView();
  return (
    <Button look="quiet" onPress={() => show({ filter: toggleValue(view.filter, chart, null) })}>
      {wordFor(null)}: {countOf(count, view.resource.name, view.resource.plural)}
    </Button>
  );
}

interface BinTableProps {
  readonly caption: string;
  readonly bins: readonly Bin[];
  readonly labelOf: (bin: Bin) => string;
}

/** The chart for screen readers. */
function BinTable({ caption, bins, labelOf }: BinTableProps) {
  const { view } = useView();
  return (
    <table className="visually-hidden">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Range</th>
          <th scope="col">{view.resource.plural}</th>
        </tr>
      </thead>
      <tbody>
        {bins
          .filter(({ count }) => count > 0)
          .map((bin) => (
            <tr key={positionOf(bin.from)}>
              <th scope="row">{labelOf(bin)}</th>
              <td>{formatCount(bin.count)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
