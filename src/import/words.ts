/** What the options of an import are called, in messages: they are flags of a command, or parameters of a request. */

import type { GivenOptions, QuestionOption } from './decisions.ts';

export type ReadingOption = keyof GivenOptions;

export type WordsName = 'command' | 'mapping' | 'request' | 'watch';

export interface ImportWords {
  /** By which a thread finds them. */
  readonly name: WordsName;
  option(name: ReadingOption): string;
  /** What is between column and field in a map. */
  readonly mapSign: '=' | ':';
  /** The option that renames a column to a field, or ignores it if that is empty. */
  mapped(column: string, field: string): string;
  /** What answers a question. */
  answer(option: QuestionOption, value: string): string;
  readonly ignoreUnknown: string;
  readonly replace: string;
  /** What confirms that many records are removed. */
  readonly confirm: string;
  /** What the rows are in. */
  readonly container: 'file' | 'body';
}

export const COMMAND_WORDS: ImportWords = {
  name: 'command',
  option: (name) => `--${NAMES[name] ?? name}`.replaceAll('_', '-'),
  mapSign: '=',
  mapped: (column, field) => `--map "${column}=${field}"`,
  answer: (option, value) => `--${option} "${value}"`,
  ignoreUnknown: '--ignore-unknown',
  replace: '--replace',
  confirm: '--yes',
  container: 'file',
};

/** For a command that got its map from a file. */
export const MAPPING_WORDS: ImportWords = {
  ...COMMAND_WORDS,
  name: 'mapping',
  option: (name) => (name === 'map' ? 'The mapping' : COMMAND_WORDS.option(name)),
};

export const REQUEST_WORDS: ImportWords = {
  name: 'request',
  option: (name) => (name === 'encoding' ? 'charset' : (NAMES[name] ?? name)),
  mapSign: ':',
  mapped: (column, field) => `map=${column}:${field}`,
  answer: (option, value) => (option === 'encoding' ? `charset=${value} to the Content-Type` : `${option}=${value}`),
  ignoreUnknown: 'ignore_unknown=true',
  replace: 'replace=true',
  confirm: 'confirm=true',
  container: 'body',
};

/** Where the rules of a watched folder are. */
export const RULES_FILE = 'watch.json';

/** For a watched folder. */
export const WATCH_WORDS: ImportWords = {
  name: 'watch',
  option: (name) => `"${name}"`,
  mapSign: '=',
  mapped: (column, field) => `"map": ${JSON.stringify({ [column]: field === '' ? null : field })} in ${RULES_FILE}`,
  answer: (option, value) =>
    `${JSON.stringify({ [option]: value }).slice(1, -1)} to a mapping of its entry in ${RULES_FILE}`,
  ignoreUnknown: `"ignoreUnknown": true in a mapping of its entry in ${RULES_FILE}`,
  replace: '"replace"',
  confirm: `"confirm": true to its entry in ${RULES_FILE}`,
  container: 'file',
};

export const IMPORT_WORDS = {
  command: COMMAND_WORDS,
  mapping: MAPPING_WORDS,
  request: REQUEST_WORDS,
  watch: WATCH_WORDS,
} satisfies Record<WordsName, ImportWords>;

/** Those that are not called what they are called in the program. */
const NAMES: Partial<Record<ReadingOption, string>> = { ignoreUnknown: 'ignore_unknown', emptyText: 'empty_text' };
