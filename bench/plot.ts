/** Draws a run as SVG. Each bar shows by what factor a case beats its target, on a logarithmic scale; a bar to the left misses it. */

import type { CaseResult } from './report.ts';

interface Bar {
  readonly label: string;
  /** 1 just meets the target, 2 is twice as good. */
  readonly margin: number;
}

const [LABELS, WIDTH, ROW] = [320, 960, 20] as const;
/** The maximum length of a bar to either side, in powers of ten. */
const REACH = 2;

function barsOf({ engine, name, targets }: CaseResult): Bar[] {
  return targets.flatMap(({ goal, subject, margin }) => {
    const what = subject === undefined ? name : `${name}: ${subject}`;
    return margin === undefined ? [] : { label: `${engine} ${what} (${goal})`, margin };
  });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** All cases of a run. */
export function draw(results: readonly CaseResult[]): string {
  const bars = results.flatMap(barsOf);
  const height = (bars.length + 2) * ROW;
  const middle = LABELS + (WIDTH - LABELS) / 2;
  const unit = (WIDTH - LABELS) / 2 / REACH;
  const rows = bars.map(({ label, margin }, index) => {
    const y = (index + 1) * ROW;
    const length = Math.max(-REACH, Math.min(REACH, Math.log10(margin))) * unit;
    const x = Math.min(middle, middle + length);
    return `<text x="4" y="${y + 14}">${escaped(label)}</text>
<rect x="${x.toFixed(1)}" y="${y + 3}" width="${Math.max(1, Math.abs(length)).toFixed(1)}" height="${ROW - 6}" fill="${margin >= 1 ? '#2a7' : '#c53'}"/>
<text x="${(length < 0 ? middle + 4 : middle - 4).toFixed(1)}" y="${y + 14}" text-anchor="${length < 0 ? 'start' : 'end'}">${margin.toPrecision(2)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<title>By what factor each benchmark case beats its target</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${middle}" y="14" text-anchor="middle">times better than the target (logarithmic)</text>
${rows.join('\n')}
<line x1="${middle}" x2="${middle}" y1="${ROW}" y2="${height - ROW / 2}" stroke="black"/>
</svg>
`;
}
