/** stockbook import */

import { createReadStream, realpathSync } from 'node:fs';
import { Command } from 'commander';
import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { UnreadableFile } from '../import/format.ts';
import { type ImportFormat, type ImportResult, importFile, importFormats, type Progress } from '../import/import.ts';
import { RejectFile, UnwritableRejects } from '../import/reject-file.ts';
import type { ColumnMap } from '../import/row-reader.ts';
import { nearest } from '../problem/nearest.ts';
import type { Faults } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandFailure } from './failure.ts';
import { fileFacts, isFileError, isSameFile, reasonOf } from './files.ts';
import { counted, grouped, printNote, printResult } from './output.ts';
import { ProgressReport } from './progress.ts';
import { chooseResource, RESOURCE_NAMES } from './resources.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

const FORMAT_NAMES = importFormats.map(({ name }) => name);

interface Options {
  readonly format?: string;
  readonly map?: readonly string[];
  readonly key?: string;
  readonly replace?: true;
  readonly reject?: string;
  readonly dryRun?: true;
}

export function importCommand(): Command {
  return addSettingFlags(new Command('import'), ['database'])
    .description('bring records in from a file: all of it at once, or nothing')
    .argument('<account>')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .argument('<file>', `${FORMAT_NAMES.join(', ')} by its ending, packed by gzip or not; - for standard input`)
    .option('--format <FORMAT>', `${FORMAT_NAMES.join(', ')}; needed for standard input`)
    .option(
      '--map <COLUMN=FIELD>',
      'take a column for a field, or for nothing: "Sales Price=list_price", "Notes="; as often as needed',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--key <FIELD>', 'find the records by another field than id, such as default_code')
    .option('--replace', 'remove the records that the file does not have')
    .option('--reject <FILE>', 'write rows that cannot be imported there, and import the rest')
    .option('--dry-run', 'say what would happen, and change nothing')
    .addHelpText(
      'after',
      `
A row whose record exists changes that record, another one makes a new record; without an id it gets the next one. Rows
that change nothing are left alone. The columns are named as the fields are.

  stockbook import acme product products.csv --map "Sales Price=list_price" --dry-run
  stockbook import acme product nightly.ndjson.gz --key default_code --replace`,
    )
    .action(runImport);
}

async function runImport(
  accountName: string,
  resourceName: string,
  file: string,
  options: Options,
  command: Command,
): Promise<void> {
  const resource = chooseResource(resourceName);
  const format = chooseFormat(file, options.format);
  const key = options.key === undefined ? id : chooseKey(resource, options.key);
  const columns = columnMap(resource, options.map ?? []);
  if (options.reject !== undefined && isSameFile(options.reject, file))
    throw new CommandFailure(`--reject names the file that is imported. Choose another one.`, 2);
  if (options.replace && options.reject !== undefined) {
    throw new CommandFailure(
      'With --replace, the records of rejected rows would be removed. Use one of --replace and --reject.',
      2,
    );
  }
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    const rejects = options.reject === undefined ? undefined : await openRejects(options.reject, format);
    const plan = {
      resource,
      key,
      columns,
      rejects,
      replace: options.replace ?? false,
      dryRun: options.dryRun ?? false,
      now: new Date().toISOString(),
    };
    const watch = new Watch(file, () => rejects?.discard());
    try {
      const source = { format, bytes: watch.bytes() };
      const result = await importFile(store.records, account.id, plan, source, (progress) => watch.report(progress));
      watch.end();
      if (result.kind !== 'imported') {
        rejects?.discard();
        throw refusal(result, account.name, format);
      }
      if (plan.dryRun) rejects?.discard();
      if (result.faults.count > 0) printNote(faultLines(result.faults, format));
      printResult(summary(result, resource, account.name, plan.dryRun));
      if (result.unwritten !== undefined)
        throw new CommandFailure(`${result.unwritten.message} Not all rows that were rejected are in there.`);
    } catch (error) {
      watch.end();
      if (error instanceof CommandFailure) throw error;
      rejects?.discard();
      if (error instanceof UnwritableRejects) throw new CommandFailure(`${error.message} Nothing was changed.`);
      if (error instanceof UnreadableFile) throw new CommandFailure(`${error.message} Nothing was changed.`);
      if (isFileError(error))
        throw new CommandFailure(`${file} cannot be read: ${reasonOf(error)}. Nothing was changed.`);
      throw error;
    }
  });
}

/** The file as it is read, and how far it is. Ctrl-C ends the program, and says what that means for the records. */
class Watch {
  readonly #file: string;
  readonly #size: number | undefined;
  readonly #onInterrupt: () => void;
  readonly #report = new ProgressReport();
  #bytes = 0;
  #progress: Progress = { rows: 0, isRead: false };
  #waiting: NodeJS.Timeout | undefined;

  constructor(file: string, onInterrupt: () => void) {
    this.#file = file;
    this.#size = file === '-' ? undefined : fileFacts(file)?.size;
    this.#onInterrupt = onInterrupt;
    process.once('SIGINT', this.#interrupt).once('SIGTERM', this.#interrupt);
  }

  /** Opened when it is first read, so that an error in doing so reaches the reader. */
  async *bytes(): AsyncIterable<Uint8Array> {
    const chunks: AsyncIterable<Uint8Array> = this.#file === '-' ? process.stdin : createReadStream(this.#file);
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  report(progress: Progress): void {
    this.#progress = progress;
    this.#show();
    // Writing is one step for the database: all there is to see is that it goes on.
    if (progress.isRead) this.#waiting = setInterval(() => this.#show(), 100);
  }

  end(): void {
    process.off('SIGINT', this.#interrupt).off('SIGTERM', this.#interrupt);
    clearInterval(this.#waiting);
    this.#report.end();
  }

  #show(): void {
    const { rows, isRead } = this.#progress;
    const share = isRead || !this.#size ? undefined : this.#bytes / this.#size;
    this.#report.show({ rows, share, doing: isRead ? 'Writing' : 'Reading' });
  }

  readonly #interrupt = (signal: NodeJS.Signals): void => {
    this.end();
    this.#onInterrupt();
    printNote(
      this.#progress.isRead
        ? 'stockbook: Interrupted while the rows were being written. They are there all together or not at all. With ids, or with --key, import them again: nothing is added twice. Without, see first in "stockbook account list" whether there are more records than before.'
        : 'stockbook: Interrupted. Nothing was changed.',
    );
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
}

async function openRejects(path: string, { frame }: ImportFormat): Promise<RejectFile> {
  if (fileFacts(path)?.isDirectory())
    throw new CommandFailure(`${path} cannot be written: it is a folder. Nothing was changed.`);
  try {
    const known = fileFacts(path);
    const isFile = known === undefined || known.isFile();
    return await RejectFile.open(known !== undefined && isFile ? realpathSync(path) : path, isFile, frame);
  } catch (error) {
    if (isFileError(error))
      throw new CommandFailure(`${path} cannot be written: ${reasonOf(error)}. Nothing was changed.`);
    throw error;
  }
}

/** `Imported 1,000 products into acme: 5 created, 3 updated, 992 unchanged, 0 removed, 0 rejected.` */
function summary(
  result: Extract<ImportResult, { kind: 'imported' }>,
  resource: Resource,
  account: string,
  dryRun: boolean,
): string {
  const { created, updated, unchanged, removed, rejected } = result;
  const rows = counted(created + updated + unchanged, resource.name, resource.plural);
  const parts = Object.entries({ created, updated, unchanged, removed, rejected }).map(
    ([what, count]) => `${grouped(count)} ${what}`,
  );
  return dryRun
    ? `Would import ${rows} into ${account}: ${parts.join(', ')}. Nothing was changed.`
    : `Imported ${rows} into ${account}: ${parts.join(', ')}.`;
}

function refusal(
  result: Exclude<ImportResult, { kind: 'imported' }>,
  account: string,
  format: ImportFormat,
): CommandFailure {
  if (result.kind === 'no such account') return new CommandFailure(`The account ${account} was removed meanwhile.`);
  const rest = result.isUnfinished ? '\nRows without a fault were not compared with the records yet.' : '';
  return new CommandFailure(`${faultLines(result.faults, format)}${rest}\nNothing was changed.`);
}

function faultLines(faults: Faults, { unit }: ImportFormat): string {
  const told = faults.first.map(({ line, column, reason, first }) => {
    const place = `${unit} ${line}${column === undefined ? '' : `, ${column}`}`;
    return `${place}: ${reason}${first === undefined ? '' : `, first in ${unit} ${first}`}`;
  });
  const rest = faults.count - told.length;
  const more = rest > 0 ? [`… and ${grouped(rest)} more`] : [];
  return [`${counted(faults.count, 'fault', 'faults')} in the file:`, ...told, ...more].join('\n');
}

function chooseFormat(file: string, name: string | undefined): ImportFormat {
  const path = file.toLowerCase().replace(/\.gz$/, '');
  const format = importFormats.find((known) =>
    name === undefined ? known.endings.some((ending) => path.endsWith(ending)) : known.name === name,
  );
  if (format !== undefined) return format;
  throw new CommandFailure(
    name === undefined
      ? `${file === '-' ? 'Standard input has no ending that tells its format' : `The format of ${file} cannot be told from its ending`}. Give it: --format ${FORMAT_NAMES.join('|')}`
      : `--format is "${name}", which is not one of ${FORMAT_NAMES.join(', ')}.`,
    2,
  );
}

function chooseKey(resource: Resource, name: string): Field {
  const field = chooseField(resource, name, '--key');
  if (field.type === 'text' || field.type === 'integer') return field;
  throw new CommandFailure(`--key is ${name}, a ${field.type}: records are found by text or by an integer.`, 2);
}

function columnMap(resource: Resource, entries: readonly string[]): ColumnMap {
  const columns = new Map<string, Field | undefined>();
  for (const entry of entries) {
    // A field's name has no =, a column's may.
    const split = entry.lastIndexOf('=');
    if (split < 1)
      throw new CommandFailure(`--map is "${entry}"; it has to be COLUMN=FIELD, such as "Price=list_price".`, 2);
    const [column, field] = [entry.slice(0, split).trim(), entry.slice(split + 1).trim()];
    if (columns.has(column)) throw new CommandFailure(`--map names the column "${column}" twice.`, 2);
    columns.set(column, field === '' ? undefined : chooseField(resource, field, '--map'));
  }
  return columns;
}

function chooseField(resource: Resource, name: string, flag: string): Field {
  const field = findField(resource, name);
  if (field !== undefined) return field;
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  throw new CommandFailure(
    `${flag}: ${resource.name} has no field ${name}. ${meant === undefined ? `Its fields are ${names.join(', ')}.` : `Did you mean ${meant}?`}`,
    2,
  );
}
