/** `npm run bench`: how fast Stockbook is, beside the floor and beside bare node:http. The method is in README.md. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { git, programAt } from './against.ts';
import { type Case, cases, type EngineName, type Round, type Sample } from './cases.ts';
import { contendersOf, type Site, type Stage } from './contenders.ts';
import { floorDatabase, stockbookDatabase } from './databases.ts';
import { claimData, type Engine, openEngine } from './engines.ts';
import { HELP, type Options, Refusal, readOptions } from './options.ts';
import { startOwn } from './processes.ts';
import { progress } from './progress.ts';
import { type CaseResult, growthTable, resultOf, resultTable } from './report.ts';
import { slowSyncs } from './slow-sync.ts';
import { PROGRAM, serve } from './stockbook.ts';

const RESULTS = fileURLToPath(new URL('results/', import.meta.url));

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options === 'help') process.stdout.write(HELP);
    else await bench(options);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`bench: ${error.message}\n`);
    return 2;
  }
}

async function bench(options: Options): Promise<void> {
  claimData();
  if (options.syncMs > 0) slowSyncs(options.syncMs);
  const programs = new Map([['stockbook', PROGRAM]]);
  if (options.against !== undefined) programs.set(options.against, programAt(options.against));
  const begun = new Date().toISOString();
  const results: CaseResult[] = [];
  const keep = (result: CaseResult) => {
    results.push(result);
    save({ begun, results }, options);
  };
  // A run that is broken off by a fault shows what it has.
  try {
    for (const name of options.engines) {
      const engine = await openEngine(name);
      for (const rows of options.sizes) await runSize(engine, rows, programs, options, keep);
      await engine.close();
    }
  } finally {
    progress.end();
    process.stdout.write(resultTable(results, options.against));
    if (options.sizes.length > 1) process.stdout.write(`\n${growthTable(results, options.sizes)}`);
  }
}

async function runSize(
  engine: Engine,
  rows: number,
  programs: ReadonlyMap<string, string>,
  options: Options,
  keep: (result: CaseResult) => void,
): Promise<void> {
  const sites: Site[] = [];
  for (const [name, program] of programs) {
    const database = await stockbookDatabase(engine, program, rows);
    sites.push({ name, program, database, server: await serve(program, database.url) });
  }
  const stage: Stage = {
    engine,
    rows,
    seconds: options.seconds,
    sites,
    floor: await floorDatabase(engine, rows),
    loads: [startOwn('load.ts', []), startOwn('load.ts', [])],
  };
  for (const one of cases.filter(({ name }) => options.names.includes(name))) {
    const rounds = await runCase(one, stage, options.rounds);
    keep(resultOf(one, engine.name, rows, rounds, options.against));
  }
  await Promise.all([...sites.map(({ server }) => server), ...stage.loads].map((running) => running.end()));
}

/** The order of the contenders is turned round from round to round. A round before the first warms up and does not count. */
async function runCase(one: Case, stage: Stage, wanted: number): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  const contenders = await contendersOf(one, stage);
  const last = Math.min(wanted, one.rounds ?? wanted);
  for (let round = one.rounds === undefined ? 0 : 1; round <= last; round += 1) {
    const samples: Record<string, Sample> = {};
    for (const { name, measure } of round % 2 === 0 ? contenders.all.toReversed() : contenders.all) {
      progress.show(label(stage.engine.name, stage.rows, one.name), `: round ${round} of ${last}, ${name}`);
      samples[name] = await measure(round);
    }
    if (round > 0) rounds.push(samples);
  }
  await contenders.end();
  return rounds;
}

function label(engine: EngineName, rows: number, name: string): string {
  return `${engine}, ${rows} rows: ${name}`;
}

/** After each case, so that a run which is broken off leaves what it has. */
function save(
  found: { begun: string; results: readonly CaseResult[] },
  { json, rounds, seconds, syncMs, against }: Options,
): void {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const commit = { commit: git('rev-parse', 'HEAD'), isChanged: git('status', '--porcelain') !== '' };
  const text = JSON.stringify({ ...commit, against, rounds, seconds, syncMs, machine, ...found }, undefined, 2);
  mkdirSync(RESULTS, { recursive: true });
  for (const file of [`${RESULTS}${found.begun.replaceAll(/[:.]/g, '-')}.json`, ...(json ? [json] : [])])
    writeFileSync(file, `${text}\n`);
}
