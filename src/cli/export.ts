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
import { checkRows, exportBody } from '../reply/export.ts';
import type { StreamFormat } from '../request/accept.ts';
import type { Export } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { isFileError, reasonOf, statsOf } from './files.ts';
import { onInterruption } from './interruption.ts';
import { count, printNote } from './output.ts';
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

/** `json` is one array; the store knows lines, and rows of a sheet. */
const FORMATS = ['csv', 'xlsx', 'ndjson', 'json'] as const;
type FileFormat = (typeof FORMATS)[number];

export function exportCommand(): Command {
  return addSettingFlags(new Command('export'), ['database'])
    .description('write records to a file or to standard output, from one consistent snapshot')
    .argument('<account>')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .option('--filter <FILTER>', 'only records that match')
    .option('--fields <FIELDS>', 'only these fields, in this order')
    .option('--sort <FIELDS>', 'sort by these fields; - before a field for descending order')
    .option(
      '--format <FORMAT>',
      `${FORMATS.join(', ')} (default: inferred from the extension of --output; ndjson for standard output)`,
    )
    .option('--output <FILE>', 'write to this file instead of standard output; compressed with gzip if it ends in .gz')
    .option('--excel-safe', 'CSV for spreadsheets: no cell is interpreted as a formula')
    .addHelpText(
      'after',
      `
An export can be imported again, unless it is --excel-safe. In CSV, an empty cell is null and "" is the empty text.

  stockbook export acme product --filter "active=true&list_price>100" --output products.csv`,
    )
    .action(runExport);
}

async function runExport(accountName: string, resourceName: string, options: Options, command: Command): Promise<void> {
  const chosen = chooseResource(resourceName);
  const fileFormat = chooseFormat(options);
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const resource = (await store.fields.catalog()).of(chosen);
    const plan = planOf(resource, options, streamFormat(fileFormat, options));
    const account = await findAccount(store, accountName);
    const opened = await store.records.export({ account: account.id }, plan);
    if (opened === 'no access')
      throw new CommandError(
        (await store.version(account.id)) === undefined
          ? `The account ${account.name} has just been removed.`
          : `The ledger of the ${resource.plural} of ${account.name} is missing. "stockbook check --repair" derives it from the records.`,
      );
    const tooMany = checkRows(opened.rows, plan);
    if (tooMany !== undefined) {
      await opened.close();
      throw new CommandError(`${tooMany.detail} Narrow the --filter, or use --format csv.`);
    }
    const report = new ProgressReport();
    try {
      const chunks = withProgress(opened, plan, options.output === undefined ? undefined : report);
      await write(fileFormat === 'json' ? asArray(chunks) : chunks, options.output);
    } finally {
      report.end();
      await opened.close();
    }
    const rows = count(opened.rows, resource.name, resource.plural);
    printNote(`Exported ${rows} of ${account.name}${options.output === undefined ? '' : ` to ${options.output}`}.`);
  });
}

/** An empty option counts as absent, as in a request. */
function planOf(resource: Resource, { filter, fields, sort }: Options, format: StreamFormat): ExportPlan {
  const values = {
    ...(filter && { filter }),
    ...(fields && { fields }),
    ...(sort && { sort }),
  };
  const plan = planExport(resource, { values, continuations: [] }, format);
  if (!(plan instanceof Problem)) return plan;
  const { parameter, suggestion } = plan.context;
  throw new CommandError(`--${parameter}: ${plan.detail}${suggestion === undefined ? '' : ` ${suggestion}`}`, 2);
}

function chooseFormat({ format, output = '', excelSafe }: Options): FileFormat {
  const path = output.toLowerCase().replace(/\.gz$/, '');
  const name = format ?? (/\.jsonl$/.test(path) ? 'ndjson' : FORMATS.find((known) => path.endsWith(`.${known}`)));
  if (name === undefined && output !== '' && statsOf(output)?.isFile() !== false) {
    throw new CommandError(
      `The format of ${output} cannot be inferred from its extension. Use --format ${FORMATS.join('|')}.`,
      2,
    );
  }
  const chosen = name === undefined ? 'ndjson' : FORMATS.find((known) => known === name);
  if (chosen === undefined) throw new CommandError(`--format must be one of ${FORMATS.join(', ')}, not "${name}".`, 2);
  if (excelSafe && chosen !== 'csv') throw new CommandError('--excel-safe requires CSV: add --format csv.', 2);
  return chosen;
}

function streamFormat(fileFormat: FileFormat, { excelSafe = false }: { readonly excelSafe?: boolean }): StreamFormat {
  if (fileFormat === 'xlsx') return { kind: 'xlsx' };
  return fileFormat === 'csv' ? { kind: 'csv', excelSafe } : { kind: 'ndjson' };
}

async function* withProgress(
  opened: Export,
  plan: ExportPlan,
  report: ProgressReport | undefined,
): AsyncIterable<Uint8Array> {
  let written = 0;
  const next = async () => {
    const chunk = await opened.next();
    written += chunk === undefined ? 0 : lineFeedsIn(chunk);
    return chunk;
  };
  const body = exportBody({ ...opened, next }, plan);
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    yield chunk;
    const rows = Math.min(written, opened.rows);
    report?.show({ activity: 'Writing', rows, fraction: rows / Math.max(opened.rows, 1) });
  }
}

function lineFeedsIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

const LINE_FEED = 0x0a;

/** A line of JSON contains no line break. */
async function* asArray(lines: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let separator = '[\n';
  for await (const chunk of lines) {
    yield separator + Buffer.from(chunk).toString().trimEnd().replaceAll('\n', ',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** A file appears once it is complete. Anything else, such as a pipe, is written to directly. */
async function write(chunks: AsyncIterable<Uint8Array | string>, output: string | undefined): Promise<void> {
  if (output === undefined) {
    await pipeline(chunks, process.stdout, { end: false });
    return;
  }
  const stats = statsOf(output);
  const isDirect = stats !== undefined && !stats.isFile();
  const target = stats === undefined ? output : realpathSync(output);
  const temporary = isDirect ? target : `${target}.partial`;
  const endInterruption = onInterruption(() => {
    if (!isDirect) rmSync(temporary, { force: true });
    printNote('stockbook: Interrupted.');
  });
  try {
    // One that was left behind, or that somebody else put there, is not written to.
    if (!isDirect) await rm(temporary, { force: true });
    const file = createWriteStream(temporary, { flags: isDirect ? 'w' : 'wx', mode: 0o600 });
    await (/\.gz$/i.test(output) ? pipeline(chunks, createGzip(), file) : pipeline(chunks, file));
    if (!isDirect) await rename(temporary, target);
  } catch (error) {
    if (!isDirect) await rm(temporary, { force: true });
    if (isFileError(error)) throw new CommandError(`${output} cannot be written: ${reasonOf(error)}.`);
    throw error;
  } finally {
    endInterruption();
  }
}
