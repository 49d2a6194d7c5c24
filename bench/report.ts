/** Turns rounds into medians, ratios and tables. */

import { type Case, type EngineName, isRate, type Round, type Unit } from './cases.ts';

export interface CaseResult {
  readonly engine: EngineName;
  readonly rows: number;
  readonly name: string;
  readonly unit: Unit;
  /** Median value by contender. */
  readonly medians: Readonly<Record<string, number>>;
  /** Median p99 latency in milliseconds by contender, for cases that send load. */
  readonly p99: Readonly<Record<string, number>>;
  /** Median CPU time per request in microseconds by contender, for cases that send load. */
  readonly cpu: Readonly<Record<string, number>>;
  readonly targets: readonly TargetResult[];
  /** How many times as fast (or as small) as the other commit: the median of the rounds' ratios. */
  readonly speedup?: number;
  /** The other commit's CPU time per request divided by ours, likewise. It depends less on what else the machine does. */
  readonly cpuSpeedup?: number;
  readonly rounds: readonly Round[];
}

export interface TargetResult {
  readonly goal: string;
  readonly subject?: string;
  readonly reference?: string;
  /** Median of the rounds' ratios. */
  readonly ratio: number;
  /** How many times better than required. Undefined if any ratio will do. */
  readonly margin?: number;
  readonly isMet?: boolean;
}

/** `other` is the contender name of the other commit. */
export function resultOf(
  one: Case,
  engine: EngineName,
  rows: number,
  rounds: readonly Round[],
  other: string | undefined,
): CaseResult {
  const names = Object.keys(rounds[0] ?? {});
  const values = (name: string) => rounds.map((round) => round[name]?.value ?? Number.NaN);
  const cpuOf = (name: string) => rounds.map((round) => round[name]?.cpu ?? Number.NaN);
  const ours = values('stockbook');
  const ourCpu = cpuOf('stockbook');
  const speedup = (theirs: number, round: number) => {
    const ratio = (ours[round] ?? Number.NaN) / theirs;
    return isRate(one.unit) ? ratio : 1 / ratio;
  };
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
    cpu: Object.fromEntries(
      names.filter((name) => rounds[0]?.[name]?.cpu !== undefined).map((name) => [name, median(cpuOf(name))]),
    ),
    targets: one.targets[engine].flatMap(({ goal, subject, reference, ...target }) => {
      if (reference !== undefined && !names.includes(reference)) return [];
      const ratio = median(rounds.map((round) => target.ratio(round) ?? Number.NaN));
      const margin = target.margin?.(ratio);
      return {
        goal,
        ...(subject && { subject }),
        ...(reference && { reference }),
        ratio,
        ...(margin !== undefined && { margin, isMet: margin >= 1 }),
      };
    }),
    ...(other &&
      names.includes(other) && {
        speedup: median(values(other).map(speedup)),
        cpuSpeedup: median(cpuOf(other).map((theirs, round) => theirs / (ourCpu[round] ?? Number.NaN))),
      }),
    rounds,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The columns of the result table, with widths that hold for lines that are not known yet: each is printed when it is. */
const COLUMNS = [
  ['engine', 8],
  ['rows', 8],
  ['case', 34],
  ['stockbook', 13],
  ['p99', 9],
  ['cpu', 9],
  ['reference', 24],
  ['ratio', 7],
  ['target', 26],
  ['met', 3],
] as const;

/** With `--against`. */
const OTHER_COLUMNS = [
  ['before', 13],
  ['speedup', 7],
  ['cpu speedup', 11],
] as const;

export function resultHeader(other: string | undefined): string {
  return resultLine(
    COLUMNS.map(([title]) => title),
    other === undefined ? [] : OTHER_COLUMNS.map(([title]) => title),
  );
}

/** One line per target, or one without a target if nothing was measured that Stockbook is compared with. */
export function resultLines(result: CaseResult, other: string | undefined): string {
  const targets = result.targets.length > 0 ? result.targets : [undefined];
  return targets.map((target) => resultLine(cellsOf(result, target), otherCells(result, other))).join('');
}

function resultLine(cells: readonly string[], others: readonly string[]): string {
  const padded = (columns: readonly (readonly [string, number])[], texts: readonly string[]) =>
    texts.map((text, column) => text.padEnd(columns[column]?.[1] ?? 0));
  return `${[...padded(COLUMNS, cells), ...padded(OTHER_COLUMNS, others)].join('  ').trimEnd()}\n`;
}

function cellsOf(
  { engine, rows, name, unit, medians, p99, cpu }: CaseResult,
  target: TargetResult | undefined,
): readonly string[] {
  const { subject = 'stockbook', reference } = target ?? {};
  const shown = (contender: string) =>
    medians[contender] === undefined ? '' : `${number(medians[contender])} ${unit}`;
  return [
    engine,
    String(rows),
    target?.subject === undefined ? name : `${name}: ${subject}`,
    shown(subject),
    p99[subject] === undefined ? '' : `${number(p99[subject])} ms`,
    cpu[subject] === undefined ? '' : `${number(cpu[subject])} µs`,
    reference === undefined ? '' : `${shown(reference)} (${reference})`,
    ...(target === undefined ? [] : [number(target.ratio), target.goal]),
    target?.isMet === undefined ? '' : target.isMet ? 'yes' : 'no',
  ];
}

function otherCells({ unit, medians, speedup, cpuSpeedup }: CaseResult, other: string | undefined): readonly string[] {
  if (other === undefined || medians[other] === undefined) return [];
  const times = (ratio: number | undefined) => (ratio === undefined || Number.isNaN(ratio) ? '' : `${number(ratio)}x`);
  return [`${number(medians[other])} ${unit}`, times(speedup), times(cpuSpeedup)];
}

/** How each case scales with the number of rows: one line per case, one column per size. */
export function growthTable(results: readonly CaseResult[], sizes: readonly number[]): string {
  const lines = new Map<string, string[]>();
  for (const { engine, rows, name, unit, medians } of results) {
    if (medians['stockbook'] === undefined) continue;
    const line = lines.get(`${engine} ${name}`) ?? [engine, name, ...sizes.map(() => '')];
    line[2 + sizes.indexOf(rows)] = `${number(medians['stockbook'])} ${unit}`;
    lines.set(`${engine} ${name}`, line);
  }
  return table([['engine', 'case', ...sizes.map((size) => `${size} rows`)], ...lines.values()]);
}

/** Three significant digits: measurements are no more precise. */
export function number(value: number): string {
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
