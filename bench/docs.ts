/**
 * Writes what a run has measured into the docs: node bench/docs.ts [RESULTS.json …]
 *
 * Without files, it takes the latest run. Runs of both engines may be given together. The parts are between two comments:
 *
 *     <!-- npm run bench:docs: results -->
 *     …
 *     <!-- end -->
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineName } from './cases.ts';
import { draw } from './plot.ts';
import { type CaseResult, number, type TargetResult } from './report.ts';
import { sizingExamples, sizingFigures } from './sizing.ts';

interface Run {
  readonly commit: string;
  readonly isModified: boolean;
  /** Only how cost scales is taken from a run in which Stockbook was compared with nothing. */
  readonly isAlone: boolean;
  readonly began: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly machine: { readonly cpu?: string; readonly cores: number; readonly node: string };
  readonly results: readonly CaseResult[];
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;
const ENGINE_NAMES = ['sqlite', 'postgres'] as const;

const RESULTS = new URL('results/', import.meta.url);
const DOCS = new URL('../docs/', import.meta.url);
const PART = /^<!-- npm run bench:docs: (.*) -->\n[\s\S]*?^<!-- end -->$/gm;

const given = process.argv.slice(2);
const files = given.length > 0 ? given : [latestRun()];
const runs = files.map((file): Run => JSON.parse(readFileSync(file, 'utf8')));
const all = resultsOf(runs);
const compared = resultsOf(runs.filter(({ isAlone }) => !isAlone));
const largest = Math.max(...compared.map(({ rows }) => rows));
const results = compared.filter(({ rows }) => rows === largest);

const parts: Readonly<Record<string, () => string>> = {
  run: () => runs.map(describe).join('\n'),
  results: resultTable,
  growth: growthTable,
  missed: missedList,
  'sizing figures': () => table(['figure', 'SQLite', 'PostgreSQL', 'from the case'], sizingFigures(results)),
  'sizing examples': () =>
    table(
      ['accounts', 'records of each', 'records', 'on disk', 'indexes in memory', 'what to run'],
      sizingExamples(results),
    ),
};

for (const name of ['performance.md', 'sizing.md']) {
  const path = new URL(name, DOCS);
  const text = readFileSync(path, 'utf8').replaceAll(PART, (_, part: string) => {
    const write = parts[part];
    if (write === undefined) throw new Error(`docs/${name} has a part that nothing writes: ${part}`);
    return `<!-- npm run bench:docs: ${part} -->\n\n${write()}\n\n<!-- end -->`;
  });
  writeFileSync(path, text);
}
writeFileSync(new URL('performance.svg', DOCS), draw(results));

/** Of a case that was run again, the last result counts. */
function resultsOf(some: readonly Run[]): readonly CaseResult[] {
  const keyed = some
    .flatMap((run) => run.results)
    .map((one) => [`${one.engine} ${one.name} ${one.rows}`, one] as const);
  return [...new Map(keyed).values()];
}

function latestRun(): string {
  const last = readdirSync(RESULTS)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .at(-1);
  if (last === undefined) throw new Error('there is no run; npm run bench makes one');
  return fileURLToPath(new URL(last, RESULTS));
}

function describe({ commit, isModified, began, rounds, seconds, machine, results: ofRun }: Run): string {
  const engines = [...new Set(ofRun.map(({ engine }) => ENGINES[engine]))].join(' and ');
  const { cpu = 'unknown processor', cores, node } = machine;
  const rows = Math.max(...ofRun.map((result) => result.rows)).toLocaleString('en');
  return `- ${engines}, one account with ${rows} products and 99 accounts with 1,000 each: ${began.slice(0, 10)}, commit \`${commit.slice(0, 7)}\`${isModified ? ' with changes' : ''}, ${cores} cores (${cpu}), Node.js ${node.slice(1)}, ${rounds} rounds of ${seconds} s.`;
}

/** One line for each goal, with the engines side by side. What misses its goal is bold. */
function resultTable(): string {
  const lines = goalsByCase().map(({ label, byEngine }) => [
    label,
    ...ENGINE_NAMES.flatMap((engine) => {
      const found = byEngine.get(engine);
      if (found === undefined) return ['', '', ''];
      const { result, target } = found;
      const value = result.medians[target.subject ?? 'stockbook'];
      const shown = value === undefined ? '' : `${number(value)} ${result.unit}`;
      const isBold = target.isMet === false;
      return target.reference === undefined && value === target.ratio
        ? [bold(shown, isBold), '', goalOf(target)]
        : [shown, bold(number(target.ratio), isBold), goalOf(target)];
    }),
  ]);
  return table(['case', ...ENGINE_NAMES.flatMap((engine) => [ENGINES[engine], 'ratio', 'goal'])], lines);
}

interface Goal {
  readonly result: CaseResult;
  readonly target: TargetResult;
}

interface CaseGoals {
  readonly label: string;
  readonly byEngine: ReadonlyMap<EngineName, Goal>;
}

/** The first goal of a case on one engine is beside the first one on the other, and so on. */
function goalsByCase(): readonly CaseGoals[] {
  const goals = results.flatMap((result) => {
    const found = result.targets.filter(({ isMet }) => isMet !== undefined);
    return found.map((target, index) => {
      const same = found.slice(0, index).filter(({ subject }) => subject === target.subject);
      const label = target.subject === undefined ? code(result.name) : `${code(result.name)}: ${target.subject}`;
      return { key: `${label} ${same.length}`, label, result, target };
    });
  });
  return [...Map.groupBy(goals, ({ key }) => key).values()].map((some) => ({
    label: some[0]?.label ?? '',
    byEngine: new Map(some.map((goal) => [goal.result.engine, goal])),
  }));
}

function goalOf({ goal }: TargetResult): string {
  return goal.replace('>=', '≥').replace('<=', '≤').replace(' x ', ' × ');
}

function bold(text: string, isBold: boolean): string {
  return isBold ? `**${text}**` : text;
}

function growthTable(): string {
  const sizes = [...new Set(all.map(({ rows }) => rows))].sort((a, b) => a - b);
  if (sizes.length < 2) return 'Not part of this run.';
  const lines = results.flatMap(({ engine, name, unit }) => {
    const values = sizes.map((size) => {
      const found = all.find((other) => other.engine === engine && other.name === name && other.rows === size);
      return found?.medians['stockbook'] === undefined ? '' : `${number(found.medians['stockbook'])} ${unit}`;
    });
    return values.filter(Boolean).length > 1 ? [[ENGINES[engine], code(name), ...values]] : [];
  });
  return table(['engine', 'case', ...sizes.map((size) => size.toLocaleString('en'))], lines);
}

function missedList(): string {
  const missed = goalsByCase().flatMap(({ label, byEngine }) => {
    const misses = [...byEngine].filter(([, { target }]) => target.isMet === false);
    const shown = misses.map(
      ([engine, { target }]) => `${number(target.ratio)} instead of ${goalOf(target)} on ${ENGINES[engine]}`,
    );
    return misses.length === 0 ? [] : [`- ${label}: ${shown.join(', ')}`];
  });
  return missed.length === 0 ? 'None.' : missed.join('\n');
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}
