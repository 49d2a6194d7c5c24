/** stockbook import */

import { createHash } from 'node:crypto';
import { createReadStream, realpathSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { readMapEntry } from '../catalog/map-entry.ts';
import type { Resource } from '../catalog/resource.ts';
import type { GivenOptions, Question } from '../import/decisions.ts';
import { peek, recognisedFormat } from '../import/file-kind.ts';
import { type ImportProgress, importRows } from '../import/import.ts';
import { type ImportFormat, importFormats } from '../import/import-formats.ts';
import type { Imported, ImportPlan, ImportResult } from '../import/import-plan.ts';
import { importProblem } from '../import/import-problem.ts';
import { mappingText, readMapping } from '../import/mapping.ts';
import { planReading, type ReadingOptions } from '../import/reading-options.ts';
import { RejectFile, UnwritableRejects } from '../import/reject-file.ts';
import { RunningImport } from '../import/running-import.ts';
import { COMMAND_WORDS, MAPPING_WORDS } from '../import/words.ts';
import { REMOVAL_LIMIT } from '../plan/import.ts';
import { Problem } from '../problem/problem.ts';
import { type CancelTimer, systemClock, timestamp } from '../schedule/clock.ts';
import { storageSettings } from '../settings/storage.ts';
import type { Account, Store } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { chooseFormat, errorLines } from './file-format.ts';
import { isFileError, isSameFile, readText, reasonOf, statsOf } from './files.ts';
import { importSummary } from './import-summary.ts';
import { onInterruption } from './interruption.ts';
import { printNote, printResult } from './output.ts';
import { ProgressReport } from './progress.ts';
import { ask, printPreview, recognisedLines } from './recognised.ts';
import { chooseResource, RESOURCE_NAMES } from './resources.ts';
import { addSettingFlags } from './setting-flags.ts';
import { storageWords } from './storage-limit.ts';
import { withStore } from './with-store.ts';

const FORMAT_NAMES = importFormats.map(({ name }) => name);

interface Options extends GivenOptions {
  readonly format?: string;
  readonly mapping?: string;
  readonly save?: string;
  readonly replace?: true;
  readonly reject?: string;
  readonly dryRun?: true;
  readonly preview?: true;
  readonly yes?: true;
}

export function importCommand(): Command {
  return addSettingFlags(new Command('import'), ['database', ...storageSettings])
    .description('import records from a file: all of them or none')
    .argument('<account>')
    .argument('<resource>', RESOURCE_NAMES.join(', '))
    .argument('<file>', `${FORMAT_NAMES.join(', ')}, optionally compressed with gzip or zstd; - for standard input`)
    .option('--format <FORMAT>', `${FORMAT_NAMES.join(', ')} (default: recognised)`)
    .option(
      '--map <COLUMN=FIELD>',
      'rename a column, "Sales Price=list_price", or ignore it, "Notes="; may be repeated',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--ignore-unknown', 'ignore columns that are not fields')
    .option('--lenient', 'read amounts without currencies, percentages as hundredths, and -, NULL, #N/A as empty cells')
    .option('--key <FIELD>', 'identify records by a field other than id, such as default_code')
    .option('--add', 'add rows without an id, even if records have their codes, or if the file was imported before')
    .option('--sheet <NAME>', 'sheet of a workbook (default: the only one with data)')
    .option(
      '--header-row <N>',
      'row, or line, with the names of the columns (default: recognised in a workbook, else the first)',
    )
    .option('--encoding <NAME>', 'such as windows-1252 (default: by its byte order mark, or UTF-8)')
    .option('--delimiter <SIGN>', 'what separates cells of CSV: , ; | or tab (default: recognised)')
    .option('--decimal <SIGN>', 'decimal sign of numbers, . or , (default: recognised)')
    .option('--dates <PATTERN>', 'such as DD.MM.YYYY (default: recognised)')
    .option('--timezone <ZONE>', 'of times that name none, such as Europe/Berlin (default: UTC)')
    .option('--empty-text <keep|null>', 'what an empty cell in quotes is (default: null if every cell is in quotes)')
    .option('--mapping <FILE>', 'read the file as a mapping says; other flags come first')
    .option('--save <FILE>', 'write a mapping, for the next file of this kind')
    .option('--replace', 'remove records that are not in the file')
    .option('--reject <FILE>', 'write rows that cannot be imported to this file, and import the rest')
    .option('--dry-run', 'report what would happen without changing anything')
    .option('--preview', 'show the first records as they would be stored as well')
    .option('--yes', 'confirm that --replace may remove more than a tenth of the records')
    .addHelpText(
      'after',
      `
A row updates the record it identifies, or creates a record if there is none, with the next id if the row has no id. A record
that a row does not change is left alone. Columns are named after the fields; true in a column "removed" removes the record.
What is recognised is printed; what could be read in two ways is asked for.

  stockbook import acme product products.xlsx --preview
  stockbook import acme product products.csv --map "Sales Price=list_price" --save products.mapping.json
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
  const chosen = chooseResource(resourceName);
  if (options.reject !== undefined && isSameFile(options.reject, file))
    throw new CommandError('--reject names the file that is being imported. Choose another file.', 2);
  if (options.save !== undefined && isSameFile(options.save, file))
    throw new CommandError('--save names the file that is being imported. Choose another file.', 2);
  if (options.replace && options.reject !== undefined) {
    throw new CommandError(
      '--replace would remove the records of rejected rows, so it cannot be combined with --reject.',
      2,
    );
  }
  if (options.format !== undefined) chooseFormat(importFormats, file, options.format);
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    const resource = (await store.fields.catalog()).of(chosen);
    const given = givenOptions(resource, options);
    readingOptions(resource, given);
    const account = await findAccount(store, accountName);
    for (let answers: GivenOptions = {}; ; ) {
      const questions = await importFile(store, account, resource, file, { ...options, ...given, ...answers });
      if (questions === undefined) return;
      answers = { ...answers, ...(await ask(questions)) };
    }
  });
}

/** Flags come before what a mapping says. */
function givenOptions(resource: Resource, { mapping: path, ...flags }: Options): GivenOptions {
  if (path === undefined) return flags;
  const mapping = readMapping(readText(path), resource);
  if ('flaw' in mapping) throw new CommandError(`The mapping ${path} cannot be used: ${mapping.flaw}.`);
  const flawed = planReading(resource, mapping, MAPPING_WORDS);
  if (flawed instanceof Problem) throw new CommandError(`The mapping ${path} cannot be used: ${sentences(flawed)}`);
  const columnOf = (entry: string) => readMapEntry(entry)?.column;
  const own = new Set((flags.map ?? []).map(columnOf));
  const map = [...(mapping.map ?? []).filter((entry) => !own.has(columnOf(entry))), ...(flags.map ?? [])];
  return { ...mapping, ...flags, map };
}

function sentences({ detail, context }: Problem): string {
  return [detail, ...(context.suggestion === undefined ? [] : [context.suggestion])].join(' ');
}

/** Why it could not be saved, if so. */
function saveText(path: string, text: string): string | undefined {
  try {
    writeFileSync(path, text);
    return undefined;
  } catch (error) {
    if (isFileError(error)) return reasonOf(error);
    throw error;
  }
}

function readingOptions(resource: Resource, given: GivenOptions): ReadingOptions {
  const options = planReading(resource, given, COMMAND_WORDS);
  if (!(options instanceof Problem)) return options;
  throw new CommandError(sentences(options), 2);
}

/** What the name of a file says about it. */
function tabsOf(file: string): GivenOptions {
  return /\.tsv(\.gz|\.zst)?$/i.test(file) ? { delimiter: 'tab' } : {};
}

/** Returns what somebody has to decide first, if somebody is there. */
async function importFile(
  store: Store,
  account: Account,
  resource: Resource,
  file: string,
  options: Options,
): Promise<readonly Question[] | undefined> {
  const { key, adds, decisions } = readingOptions(resource, { ...tabsOf(file), ...options });
  const chosen = options.format === undefined ? undefined : chooseFormat(importFormats, file, options.format);
  const input = new Input(file, () => rejects?.discard());
  let rejects: RejectFile | undefined;
  try {
    const { start, bytes } = await peek(input.bytes());
    const format = chosen ?? (await recognisedFormat(importFormats, file, start));
    const plan = { ...planFor(resource, file, options), key, adds, decisions };
    rejects = options.reject === undefined || plan.dryRun ? undefined : await openRejects(options.reject);
    const running = plan.dryRun ? undefined : new RunningImport(store.imports, account.id, { resource, file });
    const report = (progress: ImportProgress) => input.report(progress);
    // A pipe cannot be read in any order.
    if (format.name === 'xlsx') input.setUnordered();
    const source = { bytes, hash: () => input.hash(), ...(statsOf(file)?.isFile() && { path: file }) };
    const caller = { account: account.id };
    const result = await importRows(store, caller, { ...plan, rejects }, format, source, { report, running });
    input.end();
    if (result.kind !== 'imported') rejects?.discard();
    if (result.kind === 'undecided' && file !== '-' && process.stdin.isTTY && process.stderr.isTTY)
      return result.questions;
    const { recognised, preview = [] } = 'found' in result ? result.found : {};
    if (recognised !== undefined) printNote(...recognisedLines(recognised, decisions));
    if (options.preview) printPreview(resource, preview);
    if (result.kind !== 'imported') throw refusal(result, plan, account.name, format);
    const mapping = mappingText(resource, key, decisions, recognised);
    const unsaved = options.save === undefined ? undefined : saveText(options.save, mapping);
    printOutcome(result, plan, account, format);
    if (unsaved !== undefined)
      throw new CommandError(`The mapping was not saved: ${options.save} cannot be written: ${unsaved}.`);
    return undefined;
  } catch (error) {
    input.end();
    if (error instanceof CommandError) throw error;
    rejects?.discard();
    if (error instanceof UnwritableRejects) throw new CommandError(`${error.message} Nothing was changed.`);
    if (isFileError(error)) throw new CommandError(`${file} cannot be read: ${reasonOf(error)}. Nothing was changed.`);
    throw error;
  }
}

function planFor(resource: Resource, file: string, options: Options): Omit<ImportPlan, keyof ReadingOptions> {
  return {
    resource,
    words: options.mapping === undefined ? COMMAND_WORDS : MAPPING_WORDS,
    onRowError: options.reject === undefined ? 'stop' : 'skip',
    replace: options.replace ?? false,
    ...(options.yes !== true && { removalLimit: REMOVAL_LIMIT }),
    dryRun: options.dryRun ?? options.preview ?? false,
    import: { file },
    now: timestamp(systemClock),
  };
}

function printOutcome(
  result: Imported,
  { resource, dryRun }: Pick<ImportPlan, 'resource' | 'dryRun'>,
  { name }: Account,
  format: ImportFormat,
): void {
  if (result.errors.count > 0) printNote(...errorLines(result.errors, format));
  const summary = importSummary(result, resource, name, dryRun ? 'Would import' : 'Imported');
  printResult(dryRun ? `${summary} Nothing was changed.` : summary);
  if (result.tooManyRemoved !== undefined)
    printNote(`Without --yes it would be refused: it removes more than a tenth of the ${resource.plural}.`);
  if (result.storageExceeded !== undefined)
    printNote(`It would be refused: ${storageWords(result.storageExceeded, name)}`);
  if (result.unwritten !== undefined)
    throw new CommandError(`${result.unwritten.message} It does not contain all rejected rows.`);
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
  #size: number | undefined;
  readonly #onInterrupt: () => void;
  readonly #report = new ProgressReport();
  readonly #endInterruption: () => void;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isComplete = false;
  #progress: ImportProgress = { rows: 0 };
  #endRefresh: CancelTimer | undefined;

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
      this.#hash.update(chunk);
      yield chunk;
    }
    this.#isComplete = true;
  }

  /** Of all bytes. Those of a workbook may have been read in another order. */
  async hash(): Promise<string> {
    if (this.#isComplete) return this.#hash.digest('hex');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.#file)) hash.update(chunk);
    return hash.digest('hex');
  }

  /** What has been read of it says nothing about how far the import is. */
  setUnordered(): void {
    this.#size = undefined;
  }

  report(progress: ImportProgress): void {
    this.#progress = progress;
    this.#show();
    if (progress.load !== undefined) this.#endRefresh ??= systemClock.every(100, () => this.#show());
  }

  end(): void {
    this.#endInterruption();
    this.#endRefresh?.();
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
          ? 'stockbook: Interrupted while the rows were being written. Either all of them were written or none. The file can be imported again: no row is added twice without a question.'
          : 'stockbook: Interrupted. Nothing was changed.',
    );
  }
}

async function openRejects(path: string): Promise<RejectFile> {
  const stats = statsOf(path);
  if (stats?.isDirectory())
    throw new CommandError(`${path} cannot be written: it is a directory. Nothing was changed.`);
  try {
    const isFile = stats === undefined || stats.isFile();
    return await RejectFile.open(stats !== undefined && isFile ? realpathSync(path) : path, isFile);
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
    case 'undecided':
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
