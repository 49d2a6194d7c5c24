/** A table that fits the width of a screen: texts are shortened, and columns that matter least are left out. */

import { visibleText } from '../problem/visible-text.ts';

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** The width, in characters, to which its texts may be shortened; they are not shortened if undefined. */
  readonly least?: number;
  /** If there is not enough room, the column with the lowest rank is left out first; never if undefined. */
  readonly rank?: number;
}

const GAP = '  ';

/** Lines of at most `width` characters. */
export function fittedTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): readonly string[] {
  const texts = [columns.map(({ title }) => title), ...rows.map((row) => row.map(visibleText))];
  const all = columns.map((column, index) => {
    const cells = texts.map((row) => row[index] ?? '');
    return { ...column, cells, width: Math.max(...cells.map((cell) => cell.length)) };
  });
  const shown = shortened(withoutLeast(all, maxWidth), maxWidth);
  return texts.map((_, line) =>
    cut(
      shown
        .map(({ align, cells, width }) => {
          const cell = cut(cells[line] ?? '', width);
          return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
        })
        .join(GAP)
        .trimEnd(),
      maxWidth,
    ),
  );
}

/** At most `width` characters, with an ellipsis if there were more. */
function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}

/** Breaks a text at spaces into lines of at most `width` characters. */
export function wrapped(text: string, maxWidth: number): readonly string[] {
  const lines: string[] = [];
  for (const word of visibleText(text).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= maxWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(cut(word, maxWidth));
  }
  return lines;
}

interface SizedColumn extends Column {
  readonly cells: readonly string[];
  readonly width: number;
}

function withoutLeast(columns: readonly SizedColumn[], maxWidth: number): readonly SizedColumn[] {
  const least = columns.map(({ width, least: shortest = width }) => ({ width: Math.min(width, shortest) }));
  const ranks = columns.flatMap(({ rank }) => rank ?? []);
  if (widthOf(least) <= maxWidth || ranks.length === 0) return columns;
  const lowest = Math.min(...ranks);
  return withoutLeast(
    columns.filter(({ rank }) => rank !== lowest),
    maxWidth,
  );
}

/** The longest text is shortened first. */
function shortened(columns: readonly SizedColumn[], maxWidth: number): readonly SizedColumn[] {
  const excess = widthOf(columns) - maxWidth;
  const [longest] = columns
    .filter(({ width, least }) => least !== undefined && width > least)
    .toSorted((a, b) => b.width - a.width);
  if (excess <= 0 || longest === undefined) return columns;
  return shortened(
    columns.map((column) => (column === longest ? { ...column, width: column.width - 1 } : column)),
    maxWidth,
  );
}

function widthOf(columns: readonly Pick<SizedColumn, 'width'>[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * Math.max(0, columns.length - 1);
}
