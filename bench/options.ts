/** The command line of the benchmark. */

import { parseArgs } from 'node:util';
import { cases, type EngineName, SIZING_CASES } from './cases.ts';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const DEFAULT_ROWS = 1_000_000;

export interface Options {
  readonly names: readonly string[];
  readonly engines: readonly EngineName[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Added to every sync, in milliseconds. */
  readonly syncMs: number;
  readonly against: string | undefined;
  /** Nothing that Stockbook is compared with is measured. */
  readonly isAlone: boolean;
  readonly json: string | undefined;
}

export const HELP = `Usage: npm run bench -- [CASE …] [OPTIONS]

Measures Stockbook and, in the same rounds, the programs it is compared with: the floor, a minimal program that runs the
same query, and the baseline, node:http with a fixed response. bench/README.md describes the method.

Options:
  --engine sqlite|postgres   run on one engine (default: both)
  --rows ${SIZES.join('|')}
                             products in the large account (default: ${DEFAULT_ROWS})
  --rounds N                 rounds per case (default: 3)
  --seconds S                duration of each measurement (default: 1)
  --sync-ms MS               delay every fsync and fdatasync by MS milliseconds, to simulate a slower disk
  --against COMMIT           also measure the program at another commit
  --growth                   also run the cases that depend on it at fewer rows
  --alone                    do not measure what Stockbook is compared with
  --sizing                   run the cases that docs/sizing.md starts from
  --json FILE                also write the results to FILE
  --help                     show this help

Cases (default: all):
${cases.map(({ name, description }) => `  ${name.padEnd(18)} ${description}`).join('\n')}
`;

/** An error for the person at the terminal: printed without a stack trace. */
export class BenchError extends Error {}

export function readOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals: names } = parse(args);
  if (values.help) return 'help';
  const unknown = names.find((name) => !cases.some((one) => one.name === name));
  if (unknown !== undefined) throw new BenchError(`Unknown case "${unknown}". --help lists the cases.`);
  const { engine } = values;
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres')
    throw new BenchError(`--engine must be sqlite or postgres, not "${engine}".`);
  const rows = positive('rows', values.rows);
  if (!SIZES.includes(rows)) throw new BenchError(`--rows must be one of ${SIZES.join(', ')}, not ${rows}.`);
  return {
    names: names.length > 0 ? names : values.sizing ? SIZING_CASES : cases.map(({ name }) => name),
    engines: engine === undefined ? ['sqlite', 'postgres'] : [engine],
    sizes: values.growth ? SIZES.filter((size) => size <= rows) : [rows],
    rounds: Math.ceil(positive('rounds', values.rounds)),
    seconds: positive('seconds', values.seconds),
    syncMs: values['sync-ms'] === undefined ? 0 : positive('sync-ms', values['sync-ms']),
    against: values.against,
    isAlone: values.alone,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        engine: { type: 'string' },
        rows: { type: 'string', default: String(DEFAULT_ROWS) },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '1' },
        'sync-ms': { type: 'string' },
        against: { type: 'string' },
        growth: { type: 'boolean', default: false },
        alone: { type: 'boolean', default: false },
        sizing: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new BenchError(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new BenchError(`--${name} must be a positive number, not "${text}".`);
}
