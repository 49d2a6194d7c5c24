/** A bar for each value of a field. Bars are switches: they add the value to the filter, or remove it. */

import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import type { Value } from '../data/records.ts';
import { countOf, formatCount } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
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
  const selected = valuesIn(view.filter, field);
  const bars = loaded.facet === undefined ? [] : barsOf(loaded.facet, selected ?? [], kind === 'flags');
  const shown = isLong ? bars : bars.filter(({ value }, index) => index < FEW || selected?.includes(value));
  const hidden = bars.length - shown.length;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rest = (loaded.facet?.other.count ?? 0) + total(bars) - total(shown);
  const restGroups = (loaded.facet?.other.groups ?? 0) + hidden;
  return (
    <ChartFrame field={field} loaded={loaded} hasSelection={selected !== undefined}>
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
              <span className="visually-hidden">{field.name} </span>
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

/** What is selected has a bar, so that it can be removed, even if no record has it. */
function barsOf({ values }: Facet, selected: readonly Value[], isFlag: boolean): readonly ValueGroup[] {
  const counted = isFlag ? values.toSorted((a, b) => FLAGS.indexOf(a.value) - FLAGS.indexOf(b.value)) : values;
  const missing = selected.filter((value) => !values.some((group) => group.value === value));
  return [...counted, ...missing.map((value) => ({ value, count: 0 }))];
}

/** So that bars do not change places. */
const FLAGS: readonly Value[] = [true, false, null];

function total(bars: readonly ValueGroup[]): number {
  return bars.reduce((sum, { count }) => sum + count, 0);
}
