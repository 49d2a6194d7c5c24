/** What the options of an import are called, in messages: they are flags of a command, or parameters of a request. */

import type { GivenOptions, QuestionOption } from './decisions.ts';

export type ReadingOption = keyof GivenOptions;

export interface ImportWords {
  option(name: ReadingOption): string;
  /** What is between column and field in a map. */
  readonly mapSign: '=' | ':';
  /** The option that renames a column to a field, or ignores it if that is empty. */
  mapped(column: string, field: string): string;
  /** What answers a question. */
  answer(option: QuestionOption, value: string): string;
  readonly replace: string;
  /** What confirms that many records are removed. */
  readonly confirm: string;
  /** What the rows are in. */
  readonly container: 'file' | 'body';
}

export const COMMAND_WORDS: ImportWords = {
  option: (name) => `--${NAMES[name] ?? name}`.replaceAll('_', '-'),
  mapSign: '=',
  mapped: (column, field) => `--map "${column}=${field}"`,
  answer: (option, value) => `--${option} "${value}"`,
  replace: '--replace',
  confirm: '--yes',
  container: 'file',
};

/** For a command that got its map from a file. */
export const MAPPING_WORDS: ImportWords = {
  ...COMMAND_WORDS,
  option: (name) => (name === 'map' ? 'The mapping' : COMMAND_WORDS.option(name)),
};

export const REQUEST_WORDS: ImportWords = {
  option: (name) => (name === 'encoding' ? 'charset' : (NAMES[name] ?? name)),
  mapSign: ':',
  mapped: (column, field) => `map=${column}:${field}`,
  answer: (option, value) => (option === 'encoding' ? `charset=${value} to the Content-Type` : `${option}=${value}`),
  replace: 'replace=true',
  confirm: 'confirm=true',
  container: 'body',
};

/** Those that are not called what they are called in the program. */
const NAMES: Partial<Record<ReadingOption, string>> = { ignoresUnknown: 'ignore_unknown', emptyText: 'empty_text' };
