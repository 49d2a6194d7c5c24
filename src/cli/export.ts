/** stockbook export */

import { createWriteStream, realpathSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Command } from 'commander';
import type { Resource } from '../catalog/resource.ts';
import { planExport } from '../plan/list.ts';
import type { ExportPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { exportBody } from '../reply/export.ts';
import type { LineFormat } from '../request/accept.ts';
import type { Export } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandFailure } from './failure.ts';
import { fileFacts, isFileError, reasonOf } from './files.ts';
import { counted, printNote } from './output.ts';
import { ProgressReport } from './progress.ts';
import { chooseResource, RESOURCE_NAMES } from './resources.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

interface Options {
  readonly filter?: string;
  readonly fields?: string;
  readonly sort?: string;
  readonly format?: string;
  readonly output?: string;
  readonly excelSafe?: true;
}

/** `json` is one array; the store knows lines alone. */
const FORMATS = ['csv', 'ndjson', 'json'] as const;
type FileFormat = (typeof FORMATS)[number];

export function exportCommand(): Command {
  return addSettingFlags(new Command('export'), ['database'])
    .description('write records to a file or to standard output, all of one moment')
    .argument('<account>')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .option('--filter <FILTER>', 'only the records that match')
    .option('--fields <FIELDS>', 'only these fields, in this order')
    .option('--sort <FIELDS>', 'in this order; - before a field for descending')
    .option('--format <FORMAT>', `${FORMATS.join(', ')}; by the ending of --output; ndjson for standard output`)
    .option('--output <FILE>', 'write there instead of standard output; packed by gzip where it ends in .gz')
    .option('--excel-safe', 'CSV that a spreadsheet can open: nothing in it is taken for a formula')
    .addHelpText(
      'after',
      `
What was exported can be imported again, unless it is --excel-safe. In CSV an empty cell is null, and "" the empty text.

  stockbook export acme product --filter "active=true&list_price>100" --output products.csv`,
    )
    .action(runExport);
}

async function runExport(accountName: string, resourceName: string, options: Options, command: Command): Promise<void> {
  const resource = chooseResource(resourceName);
  const file = chooseFormat(options);
  const plan = planned(resource, options, lineFormat(file, options));
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    const found = await store.records.export(account.id, plan);
    if (found === undefined) throw new CommandFailure(`The account ${account.name} was removed meanwhile.`);
    const report = new ProgressReport();
    try {
      const pieces = watched(found, plan, options.output === undefined ? undefined : report);
      await write(file === 'json' ? asArray(pieces) : pieces, options.output);
    } finally {
      report.end();
      await found.close();
    }
    const rows = counted(found.rows, resource.name, resource.plural);
    printNote(`Exported ${rows} of ${account.name}${options.output === undefined ? '' : ` to ${options.output}`}.`);
  });
}

/** What is empty counts as left out, as it does in a request. */
function planned(resource: Resource, { filter, fields, sort }: Options, format: LineFormat): ExportPlan {
  const values = {
    ...(filter && { filter }),
    ...(fields && { fields }),
    ...(sort && { sort }),
  };
  const plan = planExport(resource, { values, continuations: [] }, format);
  if (!(plan instanceof Problem)) return plan;
  const { parameter, suggestion } = plan.circumstances;
  throw new CommandFailure(`--${parameter}: ${plan.detail}${suggestion === undefined ? '' : ` ${suggestion}`}`, 2);
}

function chooseFormat({ format, output = '', excelSafe }: Options): FileFormat {
  const path = output.toLowerCase().replace(/\.gz$/, '');
  const name = format ?? (/\.jsonl$/.test(path) ? 'ndjson' : FORMATS.find((known) => path.endsWith(`.${known}`)));
  if (name === undefined && output !== '' && fileFacts(output)?.isFile() !== false) {
    throw new CommandFailure(
      `The format of ${output} cannot be told from its ending. Give it: --format ${FORMATS.join('|')}`,
      2,
    );
  }
  const chosen = name === undefined ? 'ndjson' : FORMATS.find((known) => known === name);
  if (chosen === undefined)
    throw new CommandFailure(`--format is "${name}", which is not one of ${FORMATS.join(', ')}.`, 2);
  if (excelSafe && chosen !== 'csv') throw new CommandFailure('--excel-safe is for CSV: add --format csv.', 2);
  return chosen;
}

function lineFormat(file: FileFormat, { excelSafe = false }: { readonly excelSafe?: boolean }): LineFormat {
  return file === 'csv' ? { kind: 'csv', excelSafe } : { kind: 'ndjson' };
}

async function* watched(
  found: Export,
  { fields, format }: ExportPlan,
  report: ProgressReport | undefined,
): AsyncIterable<Uint8Array> {
  const body = exportBody(found, fields, format);
  let written = 0;
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    yield piece;
    written += piece.filter((byte) => byte === LINE_FEED).length;
    report?.show({ rows: Math.min(written, found.rows), share: Math.min(1, written / found.rows), doing: 'Writing' });
  }
}

const LINE_FEED = 0x0a;

/** Lines of JSON have no line break inside. */
async function* asArray(lines: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let before = '[\n';
  for await (const piece of lines) {
    yield before + Buffer.from(piece).toString().trimEnd().replaceAll('\n', ',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** A file is there once it is whole; what is no file, such as a pipe, is written as it comes. */
async function write(pieces: AsyncIterable<Uint8Array | string>, output: string | undefined): Promise<void> {
  if (output === undefined) {
    await pipeline(pieces, process.stdout, { end: false });
    return;
  }
  const known = fileFacts(output);
  const isDirect = known !== undefined && !known.isFile();
  const target = known === undefined ? output : realpathSync(output);
  const written = isDirect ? target : `${target}.partial`;
  const interrupt = (signal: NodeJS.Signals) => {
    if (!isDirect) rmSync(written, { force: true });
    printNote('stockbook: Interrupted.');
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const file = createWriteStream(written);
    await (/\.gz$/i.test(output) ? pipeline(pieces, createGzip(), file) : pipeline(pieces, file));
    if (!isDirect) await rename(written, target);
  } catch (error) {
    if (!isDirect) await rm(written, { force: true });
    if (isFileError(error)) throw new CommandFailure(`${output} cannot be written: ${reasonOf(error)}.`);
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
