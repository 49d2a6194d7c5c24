/** Rounds to medians, ratios and a table. */

import type { Case, EngineName, Round, Unit } from './cases.ts';

export interface CaseResult {
  readonly engine: EngineName;
  readonly rows: number;
  readonly name: string;
  readonly unit: Unit;
  /** The medians of the values, by contender. */
  readonly medians: Readonly<Record<string, number>>;
  /** The medians of the p99 of answers in milliseconds, by contender, where requests were sent. */
  readonly p99: Readonly<Record<string, number>>;
  readonly targets: readonly TargetResult[];
  /** Stockbook beside the other commit, as the median of the rounds' ratios. */
  readonly against?: number;
  readonly rounds: readonly Round[];
}

interface TargetResult {
  readonly must: string;
  readonly beside?: string;
  /** The median of the rounds' ratios. */
  readonly ratio: number;
  readonly isMet: boolean;
}

export function resultOf(
  one: Case,
  engine: EngineName,
  rows: number,
  rounds: readonly Round[],
  against: string | undefined,
): CaseResult {
  const names = Object.keys(rounds[0] ?? {});
  const values = (name: string) => rounds.map((round) => round[name]?.value ?? Number.NaN);
  const ours = values('stockbook');
  return {
    engine,
    rows,
    name: one.name,
    unit: one.unit,
    medians: Object.fromEntries(names.map((name) => [name, median(values(name))])),
    p99: Object.fromEntries(
      names
        .filter((name) => rounds[0]?.[name]?.load)
        .map((name) => [name, median(rounds.map((round) => round[name]?.load?.p99 ?? Number.NaN))]),
    ),
    targets: one.targets[engine].map(({ must, beside, ratio, isMet }) => {
      const middle = median(rounds.map((round) => ratio(round) ?? Number.NaN));
      return { must, ...(beside && { beside }), ratio: middle, isMet: isMet(middle) };
    }),
    ...(against && { against: median(values(against).map((value, round) => (ours[round] ?? Number.NaN) / value)) }),
    rounds,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** A line for each target. */
export function resultTable(results: readonly CaseResult[], against: string | undefined): string {
  const other = against === undefined ? [] : [against];
  return table([
    ['engine', 'rows', 'case', 'stockbook', 'p99', 'floor', 'bare', ...other, 'ratio', 'must', 'reached'],
    ...results.flatMap((result) => result.targets.map((target) => resultLine(result, target, against))),
  ]);
}

function resultLine(result: CaseResult, target: TargetResult, against: string | undefined): readonly string[] {
  const { engine, rows, name, unit, medians, p99 } = result;
  const shown = (contender: string) =>
    medians[contender] === undefined ? '' : `${number(medians[contender])} ${unit}`;
  // Where Stockbook is held against something else than the floor, that has the floor's place.
  const { beside } = target;
  const place = beside === undefined || beside === 'floor' || beside === 'bare' ? '' : ` (${beside})`;
  return [
    engine,
    String(rows),
    name,
    shown('stockbook'),
    p99['stockbook'] === undefined ? '' : `${number(p99['stockbook'])} ms`,
    place === '' ? shown('floor') : `${shown(beside ?? '')}${place}`,
    shown('bare'),
    ...(against === undefined ? [] : [`${shown(against)} (x ${number(result.against ?? Number.NaN)})`]),
    number(target.ratio),
    target.must,
    target.isMet ? 'ok' : 'miss',
  ];
}

/** How the value of each case grows with the rows: a line a case, a column a size. */
export function growthTable(results: readonly CaseResult[], sizes: readonly number[]): string {
  const lines = new Map<string, string[]>();
  for (const { engine, rows, name, unit, medians } of results) {
    const line = lines.get(`${engine} ${name}`) ?? [engine, name, ...sizes.map(() => '')];
    line[2 + sizes.indexOf(rows)] = `${number(medians['stockbook'] ?? Number.NaN)} ${unit}`;
    lines.set(`${engine} ${name}`, line);
  }
  return table([['engine', 'case', ...sizes.map((size) => `${size} rows`)], ...lines.values()]);
}

/** Three digits are all that a measurement is good for. */
function number(value: number): string {
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return `${lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}
