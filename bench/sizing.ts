/** What docs/sizing.md says about machines: figures of a run, and examples that are derived from them. */

import type { EngineName } from './cases.ts';
import { type CaseResult, number } from './report.ts';

/** The figures of the docs: their cases, and how each is shown. */
const FIGURES: readonly (readonly [name: string, figure: string, show: (value: number) => string])[] = [
  ['idle-memory', 'memory of a worker process without caches', (value) => `${number(value)} MB`],
  ['index-memory', 'memory of an index, for each record', (value) => `${number(value)} bytes`],
  ['disk', 'disk, for each product', (value) => `${number(value)} bytes`],
  ['record', 'records looked up, for each worker process', (value) => `${number(value)}/s`],
  ['varied-lists', 'lists that are not cached, for each worker process', (value) => `${number(value)}/s`],
  ['same-list', 'lists that are cached, for each worker process', (value) => `${number(value)}/s`],
  [
    'cold-filters',
    'filters over all records that nobody has sent before, for each node',
    (value) => `${number(value)}/s`,
  ],
  ['creates', 'creates', (value) => `${number(value)}/s`],
  ['export', 'records exported', (value) => `${number(value)}/s`],
  ['import', 'import of all products', (value) => `${number(value)} s`],
  ['start', 'start, until the first response', (value) => `${number(value)} ms`],
];

export function sizingFigures(results: readonly CaseResult[]): readonly (readonly string[])[] {
  return FIGURES.map(([name, figure, show]) => {
    const shown = (engine: EngineName) => {
      const value = measured(results, engine, name);
      return value === undefined ? 'not measured' : show(value);
    };
    return [figure, shown('sqlite'), shown('postgres'), `\`${name}\``];
  });
}

/** Each with a number of accounts and of records per account. */
const EXAMPLES: readonly (readonly [accounts: number, records: number, advice: string])[] = [
  [10, 10_000, 'SQLite, one node'],
  [10, 1_000_000, 'SQLite, one node, if minutes without writes during an import are acceptable; otherwise PostgreSQL'],
  [1_000, 10_000, 'SQLite, one node; PostgreSQL if there has to be a second one'],
  [100_000, 100, 'PostgreSQL, two nodes or more'],
  [1_000, 1_000_000, 'Citus: the tables and their indexes do not fit on one server'],
];

/** From here on, a resource gets an index in memory. */
const INDEXED_FROM = 20_000;

export function sizingExamples(results: readonly CaseResult[]): readonly (readonly string[])[] {
  const engine = results.some((result) => result.engine === 'sqlite') ? 'sqlite' : 'postgres';
  const disk = measured(results, engine, 'disk') ?? Number.NaN;
  const index = measured(results, engine, 'index-memory') ?? Number.NaN;
  return EXAMPLES.map(([accounts, records, advice]) => {
    const all = accounts * records;
    const indexes = records < INDEXED_FROM ? 'none' : bytes(all * index);
    return [accounts, records, all]
      .map((count) => count.toLocaleString('en'))
      .concat(bytes(all * disk), indexes, advice);
  });
}

function measured(results: readonly CaseResult[], engine: EngineName, name: string): number | undefined {
  return results.find((result) => result.engine === engine && result.name === name)?.medians['stockbook'];
}

function bytes(count: number): string {
  return count >= 1e9 ? `${number(count / 1e9)} GB` : `${number(count / 1e6)} MB`;
}
