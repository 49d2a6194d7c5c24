/**
 * Samples in the text format of Prometheus, version 0.0.4:
 *
 *     # HELP stockbook_queue_length jobs that wait
 *     # TYPE stockbook_queue_length gauge
 *     stockbook_queue_length{queue="slow_reads"} 3
 */

import { BUCKET_BOUNDS, type HistogramStats } from '../../schedule/histogram.ts';
import { type Metric, metricNames, metrics } from './metrics.ts';
import type { Samples } from './samples.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function print(samples: Samples): string {
  let text = '';
  for (const name of metricNames) {
    const series = samples[name];
    if (series === undefined) continue;
    const { type, help, labels: names }: Metric = metrics[name];
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { labels, value } of series) {
      const pairs = printLabels(names, labels);
      text +=
        typeof value === 'number'
          ? `${name}${pairs === '' ? '' : `{${pairs}}`} ${value}\n`
          : printHistogram(name, pairs, value);
    }
  }
  return text;
}

const BOUNDS = BUCKET_BOUNDS.map(String);

/** Buckets are cumulative. */
function printHistogram(name: string, pairs: string, { counts, sum }: HistogramStats): string {
  const before = pairs === '' ? '' : `${pairs},`;
  const braced = pairs === '' ? '' : `{${pairs}}`;
  let text = '';
  let count = 0;
  const start = `${name}_bucket{${before}le="`;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    count += counts[bucket] ?? 0;
    text += `${start}${BOUNDS[bucket] ?? '+Inf'}"} ${count}\n`;
  }
  return `${text}${name}_sum${braced} ${sum}\n${name}_count${braced} ${count}\n`;
}

function printLabels(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let index = 0; index < names.length; index += 1)
    text += `${index === 0 ? '' : ','}${names[index]}="${escaped(values[index] ?? '')}"`;
  return text;
}

function escaped(label: string): string {
  return /[\\"\n]/.test(label) ? label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : label;
}
