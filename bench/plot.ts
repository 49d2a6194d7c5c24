/**
 * A run as a picture: node bench/plot.ts RESULTS.json … > docs/performance.svg
 *
 * Each bar says how much better a case is than it must be, on a logarithmic scale: at the line it is just good enough.
 */

import { readFileSync } from 'node:fs';
import type { CaseResult } from './report.ts';

interface Bar {
  readonly label: string;
  readonly must: string;
  /** 1 is just good enough, 2 twice as good. */
  readonly times: number;
}

const [LABELS, WIDTH, ROW] = [320, 960, 20] as const;
/** As far as bars go to either side: a hundred times better or worse. */
const REACH = 2;

function barsOf({ engine, name, targets }: CaseResult): Bar[] {
  return targets.map(({ must, ratio }) => {
    const [, sign = '', bound = ''] = /^([<>]=) ([\d.]+)/.exec(must) ?? [];
    const times = sign === '>=' ? ratio / Number(bound) : Number(bound) / ratio;
    return { label: `${engine} ${name}`, must, times };
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function drawn(bars: readonly Bar[]): string {
  const height = (bars.length + 2) * ROW;
  const middle = LABELS + (WIDTH - LABELS) / 2;
  const unit = (WIDTH - LABELS) / 2 / REACH;
  const rows = bars.map(({ label, must, times }, index) => {
    const y = (index + 1) * ROW;
    const length = Math.max(-REACH, Math.min(REACH, Math.log10(times))) * unit;
    const x = Math.min(middle, middle + length);
    return `<text x="4" y="${y + 14}">${escaped(`${label} (${must})`)}</text>
<rect x="${x.toFixed(1)}" y="${y + 3}" width="${Math.max(1, Math.abs(length)).toFixed(1)}" height="${ROW - 6}" fill="${times >= 1 ? '#2a7' : '#c53'}"/>
<text x="${(length < 0 ? middle + 4 : middle - 4).toFixed(1)}" y="${y + 14}" text-anchor="${length < 0 ? 'start' : 'end'}">${times.toPrecision(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<title>How much better than it must be each case of the benchmark is</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${middle}" y="14" text-anchor="middle">better than it must be, times (logarithmic)</text>
${rows.join('\n')}
<line x1="${middle}" x2="${middle}" y1="${ROW}" y2="${height - ROW / 2}" stroke="black"/>
</svg>
`;
}

const results = process.argv
  .slice(2)
  .flatMap((file): readonly CaseResult[] => JSON.parse(readFileSync(file, 'utf8')).results);
process.stdout.write(drawn(results.flatMap(barsOf)));
