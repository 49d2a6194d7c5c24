/** How the numbers or timestamps of a field are distributed. A range is selected by dragging over the bars, or with two sliders. */

import { useRef, useState } from 'react';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { countOf, formatCount, formatValue } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { wordsOfBounds } from '../query/condition-words.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { type BinWords, binWords } from './bin-words.ts';
import { type Bin, countIn, type Stretch, stretchOf, wholeBins } from './bins.ts';
import { ChartFrame } from './chart-frame.tsx';
import type { Chart } from './charts.ts';
import type { Distribution } from './distribution.ts';
import { HistogramPlot } from './histogram-plot.tsx';
import { HistogramSliders } from './histogram-sliders.tsx';
import { boundsIn, contextOf, positionOf, rangeIn, selectRange, toggleValue } from './selection.ts';
import { useDistribution } from './use-distribution.ts';
import './histogram.css';

export function Histogram({ chart }: { readonly chart: Chart }) {
  const { field } = chart;
  const { view, show } = useView();
  const [isZoomed, setZoomed] = useState(false);
  const [isCut, setCut] = useState(true);
  const selected = rangeIn(view.filter, field);
  const within = isZoomed ? selected : undefined;
  const filter = within === undefined ? contextOf(view.filter, chart) : view.filter;
  const loaded = useDistribution({ chart, filter, within, isCut });
  const { bins = [], missing = 0 } = loaded.data ?? {};
  const hasTails = bins.some(({ isTail }) => isTail);
  const tailAction = isCut ? 'Show all' : 'Cut off the rest';
  const clear = () => {
    setZoomed(false);
    show({ filter: selectRange(view.filter, field, undefined, undefined) });
  };
  return (
    <ChartFrame
      field={field}
      loaded={loaded}
      isEmpty={bins.length + missing === 0}
      hasSelection={selected !== undefined}
      placeholder={<div className="histogram-placeholder" />}
      aside={
        <>
          {(hasTails || !isCut) && (
            <Button look="quiet" onPress={() => setCut(!isCut)} aria-label={`${tailAction} of ${field.label}`}>
              {tailAction}
            </Button>
          )}
          {selected !== undefined && (
            <>
              <Button look="quiet" onPress={() => setZoomed(!isZoomed)}>
                {isZoomed ? 'Zoom out' : 'Zoom in'}
              </Button>
              <Button look="quiet" onPress={clear} aria-label={`Clear ${field.label}`}>
                <Icon name="remove" />
              </Button>
            </>
          )}
        </>
      }
    >
      {loaded.data !== undefined && (
        <Bars chart={chart} distribution={loaded.data} isInside={within !== undefined} onClear={clear} />
      )}
      {missing > 0 && (
        <Button look="quiet" onPress={() => show({ filter: toggleValue(view.filter, chart, null) })}>
          {wordFor(null)}: {countOf(missing, view.resource.name, view.resource.plural)}
        </Button>
      )}
    </ChartFrame>
  );
}

interface BarsProps {
  readonly chart: Chart;
  readonly distribution: Distribution;
  /** Whether the chart shows only what is selected. */
  readonly isInside: boolean;
  readonly onClear: () => void;
}

function Bars({ chart, distribution, isInside, onClear }: BarsProps) {
  const { field } = chart;
  const { bins, period, only } = distribution;
  const { view, show, adjust } = useView();
  const { name, plural } = view.resource;
  const [dragged, setDragged] = useState<Stretch>();
  const [pointed, setPointed] = useState<number>();
  /** The filter of the latest selection. While it is unchanged, further keys on a slider adjust it. */
  const latest = useRef<string | undefined>(undefined);
  const words = binWords(period);
  const selected = rangeIn(view.filter, field);
  const bounds = selected === undefined ? [] : boundsIn(view.filter, field);
  const chosen = selected === undefined ? undefined : stretchOf(bins, selected);
  const stretch = dragged ?? chosen;
  const shown = dragged ?? (pointed === undefined ? undefined : ([pointed, pointed + 1] as const));

  const end = (position: number | undefined): Value | undefined => {
    if (!isInside || position === undefined) return undefined;
    return period === undefined ? position : new Date(position).toISOString();
  };
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
  const boundWords = wordsOfBounds(view.resource, bounds);
  const [first, last] = [bins.at(0), bins.at(-1)];
  if (first === undefined || last === undefined) return <p className="histogram-range">{boundWords}</p>;
  if (bins.length === 1)
    return (
      <p className="histogram-only">
        {only === undefined ? words.between(first, last) : formatValue(only, 'number', field.decimals)}
        <span className="histogram-only-count">{countOf(first.count, name, plural)}</span>
      </p>
    );
  return (
    <>
      <p className="histogram-range">
        {shown === undefined
          ? boundWords || tailWords(bins, view.resource)
          : `${wordsFor(words, bins, shown)}: ${countOf(countIn(bins, shown), name, plural)}`}
      </p>
      <HistogramPlot
        bins={bins}
        selected={stretch}
        onPoint={setPointed}
        onDrag={setDragged}
        onSelect={(whole) => (isSame(chosen, whole) ? onClear() : select(whole))}
      />
      <HistogramSliders
        field={field}
        bins={bins}
        selected={stretch ?? [0, bins.length]}
        words={words}
        onDrag={setDragged}
        onSelect={select}
      />
      <BinTable caption={field.label} bins={bins} words={words} />
    </>
  );
}

function wordsFor({ between }: BinWords, bins: readonly Bin[], stretch: Stretch): string {
  const [from, to] = wholeBins(bins, stretch);
  const [first, last] = [bins[from], bins[to - 1]];
  return first === undefined || last === undefined ? '' : between(first, last);
}

function isSame(stretch: Stretch | undefined, [from, to]: Stretch): boolean {
  return stretch !== undefined && stretch[0] === from && stretch[1] === to;
}

/** Says that bars at the ends are not to scale. Empty if all are. */
function tailWords(bins: readonly Bin[], { name, plural }: Resource): string {
  const tails = bins.filter(({ isTail }) => isTail);
  if (tails.length === 0) return '';
  const which = tails.length === 2 ? 'First and last bar' : bins[0]?.isTail ? 'First bar' : 'Last bar';
  const count = tails.reduce((sum, tail) => sum + tail.count, 0);
  return `${which}: the rest, ${countOf(count, name, plural)}`;
}

interface BinTableProps {
  readonly caption: string;
  readonly bins: readonly Bin[];
  readonly words: BinWords;
}

/** The chart for screen readers. */
function BinTable({ caption, bins, words }: BinTableProps) {
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
              <th scope="row">{words.between(bin, bin)}</th>
              <td>{formatCount(bin.count)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
