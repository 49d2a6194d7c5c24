/** stockbook import */

import { createReadStream } from 'node:fs';
import { Command } from 'commander';
import { catalog, findResource } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { UnreadableFile } from '../import/format.ts';
import { type ImportFormat, importFile, importFormats } from '../import/import.ts';
import { nearest } from '../problem/nearest.ts';
import type { LoadResult, RowFault } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandFailure } from './failure.ts';
import { counted, grouped, printResult } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

const FORMAT_NAMES = importFormats.map(({ name }) => name);

/** Faults told one by one; of the rest only the number. */
const MOST_FAULTS = 20;

export function importCommand(): Command {
  return addSettingFlags(new Command('import'), ['database'])
    .description('bring records in from a file: all of them, or none where a row is wrong')
    .argument('<account>')
    .argument('<resource>', catalog.map(({ name }) => name).join(', '))
    .argument('<file>', `${FORMAT_NAMES.join(', ')} by its ending; - for standard input`)
    .option('--format <FORMAT>', `${FORMAT_NAMES.join(', ')}; needed for standard input`)
    .addHelpText(
      'after',
      '\nA row with an id that exists changes that record, another one makes a new record; without an id it gets the next one.',
    )
    .action(runImport);
}

async function runImport(
  accountName: string,
  resourceName: string,
  file: string,
  options: { readonly format?: string },
  command: Command,
): Promise<void> {
  const resource = chooseResource(resourceName);
  const format = chooseFormat(file, options.format);
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    const bytes = file === '-' ? process.stdin : bytesOf(file);
    try {
      report(
        await importFile(store.records, account.id, resource, { format, bytes }),
        resource,
        account.name,
        format.unit,
      );
    } catch (error) {
      if (error instanceof UnreadableFile) throw new CommandFailure(`${error.message} Nothing was changed.`);
      if (isFileError(error)) throw new CommandFailure(`${file} cannot be read (${error.code}). Nothing was changed.`);
      throw error;
    }
  });
}

/** Opened when it is first read, so that an error in doing so reaches the reader. */
async function* bytesOf(file: string): AsyncIterable<Uint8Array> {
  yield* createReadStream(file);
}

function report(result: LoadResult, resource: Resource, account: string, unit: ImportFormat['unit']): void {
  switch (result.kind) {
    case 'loaded': {
      const { created, updated, unchanged } = result;
      const rows = counted(created + updated + unchanged, resource.name, resource.plural);
      const parts = [`${grouped(created)} created`, `${grouped(updated)} updated`, `${grouped(unchanged)} unchanged`];
      printResult(`Imported ${rows} into ${account}: ${parts.join(', ')}.`);
      return;
    }
    case 'refused':
      throw new CommandFailure(`${faultLines(result.faults, unit)}\nNothing was changed.`);
    case 'no such account':
      throw new CommandFailure(`The account ${account} was removed meanwhile.`);
  }
}

function faultLines(faults: readonly RowFault[], unit: ImportFormat['unit']): string {
  const told = faults.slice(0, MOST_FAULTS).map(({ line, column, reason, first }) => {
    const place = `${unit} ${line}${column === undefined ? '' : `, ${column}`}`;
    return `${place}: ${reason}${first === undefined ? '' : `, first in ${unit} ${first}`}`;
  });
  const rest = faults.length - told.length;
  const more = rest > 0 ? [`… and ${grouped(rest)} more`] : [];
  return [`${counted(faults.length, 'fault', 'faults')} in the file:`, ...told, ...more].join('\n');
}

function chooseResource(name: string): Resource {
  const resource = findResource(name);
  if (resource !== undefined) return resource;
  const names = catalog.map((known) => known.name);
  const meant = nearest(name, names);
  throw new CommandFailure(
    `There is no resource ${name}. ${meant === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${meant}?`}`,
    2,
  );
}

function chooseFormat(file: string, name: string | undefined): ImportFormat {
  const format = importFormats.find((known) =>
    name === undefined ? known.endings.some((ending) => file.toLowerCase().endsWith(ending)) : known.name === name,
  );
  if (format !== undefined) return format;
  throw new CommandFailure(
    name === undefined
      ? `The format of ${file} cannot be told from its ending. Give it: --format ${FORMAT_NAMES.join('|')}`
      : `--format is "${name}", which is not one of ${FORMAT_NAMES.join(', ')}.`,
    2,
  );
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
