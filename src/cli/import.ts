/** stockbook import */

import { createReadStream, realpathSync } from 'node:fs';
import { Command } from 'commander';
import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { type ImportFormat, type ImportProgress, importFormats, importRows } from '../import/import.ts';
import type { ImportPlan, ImportResult } from '../import/import-plan.ts';
import { importProblem } from '../import/import-problem.ts';
import { RejectFile, UnwritableRejects } from '../import/reject-file.ts';
import type { ColumnMap } from '../import/row-reader.ts';
import { RunningImport } from '../import/running-import.ts';
import { COMMAND_WORDS } from '../import/words.ts';
import { nearest } from '../problem/nearest.ts';
import { storageSettings } from '../settings/storage.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { chooseFormat, errorLines } from './file-format.ts';
import { isFileError, isSameFile, reasonOf, statsOf } from './files.ts';
import { importSummary } from './import-summary.ts';
import { onInterruption } from './interruption.ts';
import { printNote, printResult } from './output.ts';
import { ProgressReport } from './progress.ts';
import { chooseResource, RESOURCE_NAMES } from './resources.ts';
import { addSettingFlags } from './setting-flags.ts';
import { storageWords } from './storage-limit.ts';
import { withStore } from './with-store.ts';

/** A replacing import that removes more than one in N records has to be confirmed. */
const REMOVAL_LIMIT = 10;

const FORMAT_NAMES = importFormats.map(({ name }) => name);

interface Options {
  readonly format?: string;
  readonly map?: readonly string[];
  readonly key?: string;
  readonly replace?: true;
  readonly reject?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

export function importCommand(): Command {
  return addSettingFlags(new Command('import'), ['database', ...storageSettings])
    .description('import records from a file: all of them or none')
    .argument('<account>')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .argument('<file>', `${FORMAT_NAMES.join(', ')}, optionally compressed with gzip or zstd; - for standard input`)
    .option(
      '--format <FORMAT>',
      `${FORMAT_NAMES.join(', ')} (default: inferred from the file extension; required for standard input)`,
    )
    .option(
      '--map <COLUMN=FIELD>',
      'rename a column, "Sales Price=list_price", or ignore it, "Notes="; may be repeated',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--key <FIELD>', 'identify records by a field other than id, such as default_code')
    .option('--replace', 'remove records that are not in the file')
    .option('--reject <FILE>', 'write rows that cannot be imported to this file, and import the rest')
    .option('--dry-run', 'report what would happen without changing anything')
    .option('--yes', 'confirm that --replace may remove more than a tenth of the records')
    .addHelpText(
      'after',
      `
A row updates the record it identifies, or creates a record if there is none, with the next id if the row has no id. A record
that a row does not change is left alone. Columns are named after the fields; true in a column "removed" removes the record.

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
  const format = chooseFormat(importFormats, file, options.format);
  const key = options.key === undefined ? id : chooseKey(resource, options.key);
  const columns = columnMap(resource, options.map ?? []);
  if (options.reject !== undefined && isSameFile(options.reject, file))
    throw new CommandError('--reject names the file that is being imported. Choose another file.', 2);
  if (options.replace && options.reject !== undefined) {
    throw new CommandError(
      '--replace would remove the records of rejected rows, so it cannot be combined with --reject.',
      2,
    );
  }
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    const account = await findAccount(store, accountName);
    const rejects = options.reject === undefined ? undefined : await openRejects(options.reject, format);
    const plan: ImportPlan = {
      resource,
      key,
      columns,
      words: COMMAND_WORDS,
      rejects: options.dryRun ? undefined : rejects,
      onRowError: rejects === undefined ? 'stop' : 'skip',
      replace: options.replace ?? false,
      ...(options.yes !== true && { removalLimit: REMOVAL_LIMIT }),
      dryRun: options.dryRun ?? false,
      import: { file },
      now: new Date().toISOString(),
    };
    const input = new Input(file, () => rejects?.discard());
    try {
      const listed = { resource, file: plan.import.file };
      const running = plan.dryRun ? undefined : new RunningImport(store.imports, account.id, listed);
      const report = (progress: ImportProgress) => input.report(progress);
      const source = { bytes: input.bytes() };
      const result = await importRows(store, { account: account.id }, plan, format, source, { report, running });
      input.end();
      if (result.kind !== 'imported') {
        rejects?.discard();
        throw refusal(result, plan, account.name, format);
      }
      if (plan.dryRun) rejects?.discard();
      if (result.errors.count > 0) printNote(...errorLines(result.errors, format));
      const verb = plan.dryRun ? 'Would import' : 'Imported';
      const summary = importSummary(result, resource, account.name, verb);
      printResult(plan.dryRun ? `${summary} Nothing was changed.` : summary);
      if (result.tooManyRemoved !== undefined)
        printNote(`Without --yes it would be refused: it removes more than a tenth of the ${resource.plural}.`);
      if (result.storageExceeded !== undefined)
        printNote(`It would be refused: ${storageWords(result.storageExceeded, account.name)}`);
      if (result.unwritten !== undefined)
        throw new CommandError(`${result.unwritten.message} It does not contain all rejected rows.`);
    } catch (error) {
      input.end();
      if (error instanceof CommandError) throw error;
      rejects?.discard();
      if (error instanceof UnwritableRejects) throw new CommandError(`${error.message} Nothing was changed.`);
      if (isFileError(error))
        throw new CommandError(`${file} cannot be read: ${reasonOf(error)}. Nothing was changed.`);
      throw error;
    }
  });
}

const ACTIVITIES = {
  checking: 'Checking',
  writing: 'Writing',
  committing: 'Committing',
  indexing: 'Indexing for search',
} as const;

/** The file as it is being read, with its progress. Ctrl-C ends the program and says what that means for the records. */
class Input {
  readonly #file: string;
  readonly #size: number | undefined;
  readonly #onInterrupt: () => void;
  readonly #report = new ProgressReport();
  readonly #endInterruption: () => void;
  #bytes = 0;
  #progress: ImportProgress = { rows: 0 };
  #refresh: NodeJS.Timeout | undefined;

  constructor(file: string, onInterrupt: () => void) {
    this.#file = file;
    this.#size = file === '-' ? undefined : statsOf(file)?.size;
    this.#onInterrupt = onInterrupt;
    this.#endInterruption = onInterruption(() => this.#interrupt());
  }

  /** Opened by the first read, so that an error reaches the reader. */
  async *bytes(): AsyncIterable<Uint8Array> {
    const chunks: AsyncIterable<Uint8Array> = this.#file === '-' ? process.stdin : createReadStream(this.#file);
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  report(progress: ImportProgress): void {
    this.#progress = progress;
    this.#show();
    if (progress.load !== undefined) this.#refresh = setInterval(() => this.#show(), 100);
  }

  end(): void {
    this.#endInterruption();
    clearInterval(this.#refresh);
    this.#report.end();
  }

  #show(): void {
    const { rows, load } = this.#progress;
    const current = load?.current;
    if (current === undefined) {
      // The rest of what was read may still be on its way to the database.
      this.#report.show({ activity: 'Reading', rows, fraction: this.#size ? this.#bytes / this.#size : undefined });
      return;
    }
    const { phase, fraction } = current;
    const done = Math.round(rows * (fraction ?? 1));
    this.#report.show({ activity: ACTIVITIES[phase], rows: done, total: rows, fraction });
  }

  #interrupt(): void {
    this.end();
    this.#onInterrupt();
    printNote(
      this.#progress.load?.current?.phase === 'indexing'
        ? 'stockbook: Interrupted. All rows were imported; the service completes the search index.'
        : this.#progress.load !== undefined
          ? 'stockbook: Interrupted while the rows were being written. Either all of them were written or none. Rows with ids, or with --key, can be imported again without creating duplicates; otherwise check the number of records with "stockbook account list" first.'
          : 'stockbook: Interrupted. Nothing was changed.',
    );
  }
}

async function openRejects(path: string, { frame }: ImportFormat): Promise<RejectFile> {
  const stats = statsOf(path);
  if (stats?.isDirectory())
    throw new CommandError(`${path} cannot be written: it is a directory. Nothing was changed.`);
  try {
    const isFile = stats === undefined || stats.isFile();
    return await RejectFile.open(stats !== undefined && isFile ? realpathSync(path) : path, isFile, frame);
  } catch (error) {
    if (isFileError(error))
      throw new CommandError(`${path} cannot be written: ${reasonOf(error)}. Nothing was changed.`);
    throw error;
  }
}

function refusal(
  result: Exclude<ImportResult, { kind: 'imported' }>,
  plan: ImportPlan,
  account: string,
  format: ImportFormat,
): CommandError {
  switch (result.kind) {
    case 'no access':
      return new CommandError(`The account ${account} has just been removed.`);
    case 'storage exceeded':
      return new CommandError(`${storageWords(result, account)} Nothing was changed.`);
    case 'refused': {
      const rest = result.isPartial ? ['The other rows have not been compared with the records yet.'] : [];
      return new CommandError([...errorLines(result.errors, format), ...rest, 'Nothing was changed.']);
    }
    case 'cancelled':
    case 'unreadable':
    case 'too many removed':
    case 'position changed': {
      const { detail, context } = importProblem(result, plan);
      const parts = [detail, ...(detail.endsWith('Nothing was changed.') ? [] : ['Nothing was changed.'])];
      return new CommandError([...parts, ...(context.suggestion === undefined ? [] : [context.suggestion])].join(' '));
    }
    default:
      throw new Error(`an import by command returned ${result.kind}`);
  }
}

function chooseKey(resource: Resource, name: string): Field {
  const field = chooseField(resource, name, '--key');
  const { storage } = valueTypes[field.type];
  if (storage === 'text' || storage === 'integer') return field;
  throw new CommandError(`--key must be a field that holds text or integers; ${name} is a ${field.type}.`, 2);
}

function columnMap(resource: Resource, entries: readonly string[]): ColumnMap {
  const columns = new Map<string, Field | undefined>();
  for (const entry of entries) {
    // The name of a field has no =, that of a column may.
    const split = entry.lastIndexOf('=');
    if (split < 1) throw new CommandError(`--map must be COLUMN=FIELD, such as "Price=list_price", not "${entry}".`, 2);
    const [column, field] = [entry.slice(0, split).trim(), entry.slice(split + 1).trim()];
    if (columns.has(column)) throw new CommandError(`--map names the column "${column}" twice.`, 2);
    columns.set(column, field === '' ? undefined : chooseField(resource, field, '--map'));
  }
  return columns;
}

function chooseField(resource: Resource, name: string, flag: string): Field {
  const field = findField(resource, name);
  if (field !== undefined) return field;
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  const help = meant === undefined ? `Its fields are ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new CommandError(`${flag}: ${resource.name} has no field ${name}. ${help}`, 2);
}
