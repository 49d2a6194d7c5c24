/** The words of the command. */

import { parseArgs } from 'node:util';
import { cases, type EngineName } from './cases.ts';

export const SIZES = [10_000, 100_000, 1_000_000];

export interface Options {
  readonly names: readonly string[];
  readonly engines: readonly EngineName[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** What is added to each sync, in milliseconds. */
  readonly syncMs: number;
  readonly against: string | undefined;
  readonly json: string | undefined;
}

export const HELP = `npm run bench -- [CASE …] [flags]

  --engine sqlite|postgres   one engine; both when left out
  --rows ${SIZES.join('|')}
                             products in the large account; ${SIZES.at(-1)} when left out
  --rounds N                 rounds of each case; 5 when left out
  --seconds S                time of each contender in a round; 3 when left out
  --sync-ms MS               add so much to every fsync and fdatasync of all contenders, as slower disks do
  --against REF              measure the program of another commit in the same rounds
  --growth                   each case at ${SIZES.join(', ')} rows
  --json FILE                write the results there too
  --help                     this text

Cases:
${cases.map(({ name, meaning }) => `  ${name.padEnd(18)} ${meaning}`).join('\n')}
`;

/** Why there is no run: shown as it is, without a stack. */
export class Refusal extends Error {}

export function readOptions(words: readonly string[]): Options | 'help' {
  const { values, positionals: names } = parse(words);
  if (values.help) return 'help';
  const unknown = names.find((name) => !cases.some((one) => one.name === name));
  if (unknown !== undefined) throw new Refusal(`There is no case "${unknown}".`);
  const { engine } = values;
  if (engine !== undefined && engine !== 'sqlite' && engine !== 'postgres')
    throw new Refusal(`--engine is "${engine}"; it has to be sqlite or postgres.`);
  const rows = positive('rows', values.rows);
  if (!SIZES.includes(rows)) throw new Refusal(`--rows is ${rows}; it has to be one of ${SIZES.join(', ')}.`);
  return {
    names: names.length === 0 ? cases.map(({ name }) => name) : names,
    engines: engine === undefined ? ['sqlite', 'postgres'] : [engine],
    sizes: values.growth ? SIZES : [rows],
    rounds: Math.ceil(positive('rounds', values.rounds)),
    seconds: positive('seconds', values.seconds),
    syncMs: values['sync-ms'] === undefined ? 0 : positive('sync-ms', values['sync-ms']),
    against: values.against,
    json: values.json,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        engine: { type: 'string' },
        rows: { type: 'string', default: String(SIZES.at(-1)) },
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '3' },
        'sync-ms': { type: 'string' },
        against: { type: 'string' },
        growth: { type: 'boolean', default: false },
        json: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new Refusal(`--${name} is "${text}"; it has to be a number above 0.`);
}
