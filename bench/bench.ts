/** `npm run bench`: compares Stockbook with the floor and the baseline. README.md describes the method. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { git, programAt } from './against.ts';
import { type Case, cases, grows, type Round } from './cases.ts';
import type { Instance, TestBed } from './contender.ts';
import { contendersOf } from './contenders.ts';
import { floorDatabase, stockbookDatabase } from './databases.ts';
import { type Engine, lockData, openEngine } from './engines.ts';
import { BenchError, HELP, type Options, readOptions } from './options.ts';
import { startScript } from './processes.ts';
import { progress } from './progress.ts';
import { type CaseResult, growthTable, resultHeader, resultLines, resultOf } from './report.ts';
import { slowSyncs } from './slow-sync.ts';
import { PROGRAM, serve } from './stockbook.ts';

const RESULTS = fileURLToPath(new URL('results/', import.meta.url));

interface Program {
  readonly name: string;
  readonly path: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') process.stdout.write(HELP);
    else await bench(options);
    return 0;
  } catch (error) {
    if (!(error instanceof BenchError)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 2;
  }
}

async function bench(options: Options): Promise<void> {
  lockData();
  if (options.syncMs > 0) slowSyncs(options.syncMs);
  const { against } = options;
  const other = against === undefined ? undefined : { name: `stockbook@${against}`, path: programAt(against) };
  const began = new Date().toISOString();
  const results: CaseResult[] = [];
  const onResult = (result: CaseResult) => {
    results.push(result);
    save({ began, results }, options);
    progress.end();
    if (results.length === 1) process.stdout.write(resultHeader(other?.name));
    process.stdout.write(resultLines(result, other?.name));
  };
  for (const name of options.engines) {
    const engine = await openEngine(name);
    for (const rows of options.sizes) await runSize(engine, rows, other, options, onResult);
    await engine.close();
  }
  progress.end();
  if (options.sizes.length > 1) process.stdout.write(`\n${growthTable(results, options.sizes)}`);
}

async function runSize(
  engine: Engine,
  rows: number,
  other: Program | undefined,
  options: Options,
  onResult: (result: CaseResult) => void,
): Promise<void> {
  const ours = await startInstance(engine, rows, { name: 'stockbook', path: PROGRAM });
  const bed: TestBed = {
    engine,
    rows,
    seconds: options.seconds,
    instances: other === undefined ? [ours] : [ours, await startInstance(engine, rows, other)],
    floor: options.isAlone ? undefined : await floorDatabase(engine, rows),
    loads: [startScript('load.ts', []), startScript('load.ts', [])],
  };
  const isLargest = rows === Math.max(...options.sizes);
  for (const one of cases.filter((one) => options.names.includes(one.name) && (isLargest || grows(one)))) {
    const rounds = await runCase(one, bed, options.rounds);
    onResult(resultOf(one, engine.name, rows, rounds, other?.name));
  }
  await Promise.all([...bed.instances.map(({ server }) => server), ...bed.loads].map((running) => running.stop()));
}

async function startInstance(engine: Engine, rows: number, { name, path }: Program): Promise<Instance> {
  const database = await stockbookDatabase(engine, path, rows);
  return { name, program: path, database, server: await serve(path, database.url) };
}

/** The order of the contenders alternates from round to round. Round 0 is a warm-up and does not count. */
async function runCase(one: Case, bed: TestBed, wanted: number): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const contenders = await contendersOf(one, bed);
  const last = Math.min(wanted, one.maxRounds ?? wanted);
  for (let round = one.maxRounds === undefined ? 0 : 1; round <= last; round += 1) {
    let samples: Round = {};
    for (const { name, measure } of round % 2 === 0 ? contenders.all.toReversed() : contenders.all) {
      progress.show(`${bed.engine.name}, ${bed.rows} rows: ${one.name}`, `: round ${round} of ${last}, ${name}`);
      samples = { ...samples, ...(await measure(round)) };
    }
    if (round > 0) rounds.push(samples);
  }
  await contenders.stop();
  return rounds;
}

/** Called after every case, so that an interrupted run keeps what it has measured. */
function save(
  run: { began: string; results: readonly CaseResult[] },
  { json, rounds, seconds, syncMs, against, isAlone }: Options,
): void {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const commit = { commit: git('rev-parse', 'HEAD'), isModified: git('status', '--porcelain') !== '' };
  const text = JSON.stringify({ ...commit, against, isAlone, rounds, seconds, syncMs, machine, ...run }, undefined, 2);
  mkdirSync(RESULTS, { recursive: true });
  for (const file of [`${RESULTS}${run.began.replaceAll(/[:.]/g, '-')}.json`, ...(json ? [json] : [])])
    writeFileSync(file, `${text}\n`);
}
