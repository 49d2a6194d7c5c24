/**
 * `npm run bench:overload`: what happens if more requests arrive than the service can handle. Finds the rate that it sustains, and then
 * sends half of it, all of it and twice as much, from one account, while a neighbour sends a few.
 */

import { parseArgs } from 'node:util';
import type { EngineName } from './cases.ts';
import { attackDatabase } from './databases.ts';
import { lockData, openEngine } from './engines.ts';
import type { Answers, OpenLoopJob, OpenLoopResult } from './open-loop.ts';
import { nextMessage, type Running, startScript } from './processes.ts';
import { progress } from './progress.ts';
import { median } from './report.ts';
import { PROGRAM, serve } from './stockbook.ts';

/** Enough for requests that differ; how many records there are hardly matters to what they cost. */
const ROWS = 10_000;

/** How many times the sustainable rate. */
const LOADS = [0.5, 1, 2] as const;

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    requests: { type: 'string', default: 'varied-lists' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    /** Flags of `serve`, such as `--max-delay=0` to compare with a service that refuses nothing. */
    serve: { type: 'string', multiple: true, default: [] },
  },
});

/** One round: medians and 99th percentiles in milliseconds, and shares. */
interface Sample {
  readonly rate: number;
  readonly median: number;
  readonly p99: number;
  readonly refusedShare: number;
  readonly refusal: number;
  readonly unanswered: number;
  readonly quietMedian: number;
  readonly quietP99: number;
  readonly quietRefused: number;
}

async function run({ child }: Running, job: OpenLoopJob): Promise<OpenLoopResult> {
  const finished = nextMessage(child, isResult);
  child.send(job);
  return finished;
}

function isResult(received: unknown): received is OpenLoopResult {
  return typeof received === 'object' && received !== null && 'heavy' in received;
}

function quantile(latencies: readonly number[], share: number): number {
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function refusedShare({ admitted, refused, unanswered }: Answers): number {
  return refused.length / Math.max(1, admitted.length + refused.length + unanswered);
}

function sampleOf({ rate, heavy, quiet }: OpenLoopResult): Sample {
  return {
    rate,
    median: quantile(heavy.admitted, 0.5),
    p99: quantile(heavy.admitted, 0.99),
    refusedShare: refusedShare(heavy),
    refusal: quantile(heavy.refused, 0.5),
    unanswered: heavy.unanswered,
    quietMedian: quantile(quiet.admitted, 0.5),
    quietP99: quantile(quiet.admitted, 0.99),
    quietRefused: refusedShare(quiet),
  };
}

async function measure(name: EngineName): Promise<void> {
  const engine = await openEngine(name);
  const { url, keys } = await attackDatabase(engine, PROGRAM, ROWS);
  const [quiet = '', heavy = ''] = keys;
  const server = await serve(PROGRAM, url, values.serve);
  const generator = startScript('open-loop.ts', []);
  const requests = values.requests === 'lists-of-100' ? 'lists-of-100' : 'varied-lists';
  const job: Omit<OpenLoopJob, 'round' | 'rate'> = {
    requests,
    port: server.port,
    rows: ROWS,
    keys: { heavy, quiet },
    seconds: Number(values.seconds),
  };
  const samples = new Map<number, Sample[]>(LOADS.map((load) => [load, []]));
  const sustainable: number[] = [];
  // Round 0 is a warm-up.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    progress.show(`${name}: round ${round}`);
    const { rate } = await run(generator, { ...job, round, rate: undefined });
    if (round > 0) sustainable.push(rate);
    for (const load of LOADS) {
      const result = await run(generator, { ...job, round, rate: load * rate });
      if (round > 0) samples.get(load)?.push(sampleOf(result));
    }
  }
  await generator.stop();
  await server.stop();
  await engine.close();
  print(name, median(sustainable), samples);
}

function print(name: EngineName, rate: number, samples: ReadonlyMap<number, readonly Sample[]>): void {
  const lines = [...samples].map(([load, all]) => {
    const of = (member: keyof Sample) => median(all.map((sample) => sample[member]));
    const milliseconds = (member: keyof Sample) => (Number.isNaN(of(member)) ? '' : of(member).toFixed(1));
    const percent = (member: keyof Sample) => `${(of(member) * 100).toFixed(0)} %`;
    return [
      `${load} ×`,
      of('rate').toFixed(0),
      milliseconds('median'),
      milliseconds('p99'),
      percent('refusedShare'),
      milliseconds('refusal'),
      of('unanswered').toFixed(0),
      milliseconds('quietMedian'),
      milliseconds('quietP99'),
      percent('quietRefused'),
    ].join(' | ');
  });
  process.stdout.write(
    `${name}: ${rate.toFixed(0)} requests per second are sustainable\n\n| load | served/s | p50, ms | p99, ms | 503 | p50 of a 503, ms | unanswered | neighbour p50 | neighbour p99 | neighbour 503 |\n|---|---|---|---|---|---|---|---|---|---|\n${lines.map((line) => `| ${line} |\n`).join('')}\n`,
  );
}

lockData();
for (const name of ['sqlite', 'postgres'] as const)
  if (values.engine === undefined || values.engine === name) await measure(name);
progress.end();
process.exit();
