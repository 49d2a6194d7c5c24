/** stockbook account add --file */

import { closeSync, createReadStream, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { newIdentity } from '../access/issue-key.ts';
import { Undecided } from '../import/decisions.ts';
import { ErrorList } from '../import/error-list.ts';
import { UnreadableFile } from '../import/format.ts';
import { visibleText } from '../problem/visible-text.ts';
import { systemClock } from '../schedule/clock.ts';
import type { NewAccount, RowErrors } from '../store/store.ts';
import { isUnreachable } from '../store/store-error.ts';
import { type AccountFormat, type AccountInFile, accountFormats, readAccountFile } from './account-file.ts';
import { CommandError } from './command-error.ts';
import { chooseFormat, errorLines } from './file-format.ts';
import { isFileError, reasonOf } from './files.ts';
import { onInterruption } from './interruption.ts';
import { count, printNote, printResult } from './output.ts';
import { withStore } from './with-store.ts';

export interface AddFileOptions {
  readonly file?: string;
  readonly format?: string;
  readonly output?: string;
}

/** A key, with what identifies it. */
interface IssuedKey {
  readonly account: string;
  readonly name: string;
  readonly key: string;
}

export async function addAccountsFrom(file: string, options: AddFileOptions, command: Command): Promise<void> {
  const format = chooseFormat(accountFormats, file, options.format);
  const now = systemClock.wall();
  const found = await readFile(file, format, now);
  if (found.length === 0) throw new CommandError(`${nameOf(file)} has no accounts. Nothing was added.`);
  const { accounts, keys } = withKeys(found);
  await withStore(command, { create: true }, async (store) => {
    const output =
      keys.length === 0 || options.output === undefined ? undefined : KeyFile.write(options.output, format, keys);
    const endInterruption = onInterruption(() => output?.reportInterruption());
    try {
      const result = await store.accounts.addAll(accounts, new Date(now).toISOString());
      if (result.kind === 'names taken') throw namesTaken(result.names, found, format);
    } catch (error) {
      // If the connection was lost, they may have been added.
      if (isUnreachable(error)) output?.reportInterruption();
      else output?.discard();
      throw error;
    } finally {
      endInterruption();
    }
    const added = `Added ${count(accounts.length, 'account', 'accounts')} with ${count(keys.length, 'key', 'keys')}.`;
    if (output !== undefined) printResult(`${added} The keys are in ${options.output}.`);
    else if (keys.length === 0) printResult(added);
    else {
      printResult(...keyLines(format, keys));
      printNote(added);
    }
  });
}

async function readFile(file: string, format: AccountFormat, now: number): Promise<readonly AccountInFile[]> {
  try {
    const found = await readAccountFile(file === '-' ? process.stdin : createReadStream(file), format, now);
    if ('count' in found) throw refusal(found, format);
    return found;
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof Undecided)
      throw new CommandError(`${error.message} Nothing was added.`);
    if (isFileError(error))
      throw new CommandError(`${nameOf(file)} cannot be read: ${reasonOf(error)}. Nothing was added.`);
    throw error;
  }
}

function nameOf(file: string): string {
  return file === '-' ? 'Standard input' : file;
}

function refusal(errors: RowErrors, format: AccountFormat): CommandError {
  return new CommandError([...errorLines(errors, format), 'Nothing was added.']);
}

function namesTaken(names: readonly string[], found: readonly AccountInFile[], format: AccountFormat): CommandError {
  const taken = new Set(names);
  const errors = new ErrorList();
  for (const { name, line } of found)
    if (taken.has(name)) errors.add({ line, column: 'account', reason: `the account ${name} already exists` });
  return refusal(errors, format);
}

function withKeys(found: readonly AccountInFile[]): {
  readonly accounts: readonly NewAccount[];
  readonly keys: readonly IssuedKey[];
} {
  const issued: IssuedKey[] = [];
  const accounts = found.map(({ name, limits, keys }) => ({
    name,
    ...limits,
    keys: keys.map((terms) => {
      const { text, ...identity } = newIdentity();
      issued.push({ account: name, name: terms.name, key: text });
      return { ...terms, ...identity };
    }),
  }));
  return { accounts, keys: issued };
}

function keyLines({ name: format }: AccountFormat, keys: readonly IssuedKey[]): readonly string[] {
  if (format === 'ndjson') return keys.map((key) => JSON.stringify(key));
  return ['account,name,key', ...keys.map(({ account, name, key }) => [account, csvCell(name), key].join(','))];
}

function csvCell(text: string): string {
  return /[",;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The keys are written to disk before the accounts are added: they cannot be recovered afterwards. */
class KeyFile {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static write(path: string, format: AccountFormat, keys: readonly IssuedKey[]): KeyFile {
    const file = new KeyFile(path);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, 'wx', 0o600);
      writeFileSync(
        descriptor,
        keyLines(format, keys)
          .map((line) => `${visibleText(line)}\n`)
          .join(''),
      );
      fsyncSync(descriptor);
      return file;
    } catch (error) {
      if (descriptor !== undefined) file.discard();
      if (!isFileError(error)) throw error;
      if (error.code === 'EEXIST') throw new CommandError(`${path} exists. Choose another file. Nothing was added.`);
      throw new CommandError(`${path} cannot be written: ${reasonOf(error)}. Nothing was added.`);
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  discard(): void {
    rmSync(this.#path, { force: true });
  }

  reportInterruption(): void {
    printNote(
      `stockbook: Either all accounts were added or none: "stockbook account list" shows it. If they were, their keys are in ${this.#path}; otherwise, remove it.`,
    );
  }
}
