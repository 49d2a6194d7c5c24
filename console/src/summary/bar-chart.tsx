/** A bar for each value of a field. Bars are switches: they add the value to the filter, or remove it. */

import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import type { Field } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { countOf, formatCount } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import { Placeholder } from '../ui/placeholder.tsx';
import { useView } from '../view/use-view.ts';
import { ChartFrame } from './chart-frame.tsx';
import type { Chart } from './charts.ts';
import type { Facet, ValueGroup } from './facet.ts';
import { nameOfValue } from './name-of-value.ts';
import { contextOf, toggleValue, valuesIn } from './selection.ts';
import { useFacet } from './use-facet.ts';
import './bar-chart.css';

/** How many bars there are at first. */
const FEW = 8;

export function BarChart({ chart }: { readonly chart: Chart }) {
  const { field, kind } = chart;
  const { view, show } = useView();
  const [isLong, setLong] = useState(false);
  const loaded = useFacet(field.name, contextOf(view.filter, chart));
  const { data: facet } = loaded;
  const selected = valuesIn(view.filter, field);
  const bars = facet === undefined ? [] : barsOf(facet, selected ?? [], kind === 'flags' ? flagsOf(field) : []);
  const shown = isLong ? bars : bars.filter(({ value }, index) => index < FEW || selected?.includes(value));
  const hidden = bars.length - shown.length;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rest = (facet?.other.count ?? 0) + total(bars) - total(shown);
  const restGroups = (facet?.other.groups ?? 0) + hidden;
  return (
    <ChartFrame
      field={field}
      loaded={loaded}
      isEmpty={facet?.values.length === 0}
      hasSelection={selected !== undefined}
      placeholder={
        kind === 'flags' ? (
          <EmptyBars count={flagsOf(field).length} />
        ) : (
          // Most have more than fit.
          <>
            <EmptyBars count={FEW + 1} />
            <div className="bar-chart-more" />
          </>
        )
      }
    >
      <ul className="bar-chart">
        {shown.map((bar) => (
          <li key={String(bar.value)}>
            <ToggleButton
              className="bar-chart-bar"
              isSelected={selected?.includes(bar.value) ?? false}
              onChange={() => show({ filter: toggleValue(view.filter, chart, bar.value) })}
            >
              <svg className="bar-chart-fill" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(bar.count / most) * 100} height="1" />
              </svg>
              <span className="visually-hidden">{field.label} </span>
              <span className="bar-chart-name">{nameOfValue(bar.value, field)}</span>
              <span className="bar-chart-count">{formatCount(bar.count)}</span>
              <span className="visually-hidden"> {bar.count === 1 ? view.resource.name : view.resource.plural}</span>
            </ToggleButton>
          </li>
        ))}
        {restGroups > 0 && (
          <li className="bar-chart-rest">
            <span>{countOf(restGroups, 'other value', 'other values')}</span>
            <span className="bar-chart-count">{formatCount(rest)}</span>
          </li>
        )}
      </ul>
      {(hidden > 0 || isLong) && (
        <Button look="quiet" onPress={() => setLong(!isLong)}>
          {isLong ? 'Show fewer' : `Show ${formatCount(hidden)} more`}
        </Button>
      )}
    </ChartFrame>
  );
}

/** What is selected has a bar, so that it can be removed, even if no record has it. So do flags, so that bars do not change places. */
function barsOf({ values }: Facet, selected: readonly Value[], flags: readonly Value[]): readonly ValueGroup[] {
  const wanted = new Set([...flags, ...selected]);
  const missing = [...wanted].filter((value) => !values.some((group) => group.value === value));
  const bars = [...values, ...missing.map((value) => ({ value, count: 0 }))];
  return bars.toSorted((a, b) => flags.indexOf(a.value) - flags.indexOf(b.value));
}

function flagsOf({ nullable }: Field): readonly Value[] {
  return nullable ? [true, false, null] : [true, false];
}

function total(bars: readonly ValueGroup[]): number {
  return bars.reduce((sum, { count }) => sum + count, 0);
}

/** While the bars are loading. */
function EmptyBars({ count }: { readonly count: number }) {
  return (
    <ul className="bar-chart">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no identity but their place
        <li className="bar-chart-rest" key={index}>
          <Placeholder />
        </li>
      ))}
    </ul>
  );
}
