/** The values of metrics: those of one process, or of several combined. Plain JSON, which processes send to each other. */

import { type HistogramStats, sumOf } from '../../schedule/histogram.ts';
import { type Metric, type MetricName, metricNames, metrics } from './metrics.ts';

export interface Series {
  /** The values of the metric's labels, in its order. */
  readonly labels: readonly string[];
  readonly value: number | HistogramStats;
}

export type Samples = { readonly [Name in MetricName]?: readonly Series[] };

/** A metric without labels. */
export function single(value: Series['value']): readonly Series[] {
  return [{ labels: [], value }];
}

/** A metric with one label. */
export function labeled(values: Iterable<readonly [label: string, value: Series['value']]>): readonly Series[] {
  return Array.from(values, ([label, value]) => ({ labels: [label], value }));
}

export function combine(all: readonly Samples[]): Samples {
  const combined: Partial<Record<MetricName, readonly Series[]>> = {};
  for (const name of metricNames) {
    const series = all.flatMap((samples) => samples[name] ?? []);
    if (series.length > 0) combined[name] = combineSeries(metrics[name], series);
  }
  return combined;
}

function combineSeries({ combined }: Metric, all: readonly Series[]): readonly Series[] {
  const byLabels = new Map<string, Series[]>();
  for (const series of all) {
    const key = series.labels.join('\n');
    const known = byLabels.get(key);
    if (known === undefined) byLabels.set(key, [series]);
    else known.push(series);
  }
  return [...byLabels.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    return [{ labels: first.labels, value: combineValues(combined, [first, ...others]) }];
  });
}

function combineValues(combined: Metric['combined'], series: readonly Series[]): Series['value'] {
  const numbers = series.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  if (numbers.length < series.length)
    return sumOf(series.flatMap(({ value }) => (typeof value === 'number' ? [] : [value])));
  if (combined === 'maximum') return Math.max(...numbers);
  if (combined === 'minimum') return Math.min(...numbers);
  return numbers.reduce((sum, value) => sum + value, 0);
}
