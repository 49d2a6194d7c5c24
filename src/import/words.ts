/** What the options of an import are called, in messages: they are flags of a command, parameters of a request, or options of the client. */

import type { ProblemCode } from '../problem/registry.ts';
import type { GivenOptions, QuestionOption } from './decisions.ts';

export type ReadingOption = keyof GivenOptions;

export type WordsName = 'command' | 'mapping' | 'request' | 'client' | 'watch';

export interface ImportWords {
  /** By which a thread finds them. */
  readonly name: WordsName;
  option(name: ReadingOption): string;
  /** The option that renames a column to a field, or ignores it if that is empty. */
  mapped(column: string, field: string): string;
  /** The same for several columns, ready to be used. */
  mappedAll(pairs: readonly (readonly [column: string, field: string])[]): string;
  /** What answers a question. */
  answer(option: QuestionOption, value: string): string;
  readonly ignoreUnknown: string;
  /** What reads cells with currencies, percent signs, and words for nothing. */
  readonly lenient: string;
  readonly replace: string;
  /** What confirms that many records are removed. */
  readonly confirm: string;
  /** In place of those in the registry of problems, which name parameters. */
  readonly hints?: Partial<Record<ProblemCode, string>>;
  /** What the rows are in. */
  readonly container: 'file' | 'body';
}

/** Of requests, which have further options. */
export interface RequestWords extends ImportWords {
  /** An option, or an option with a value. */
  parameter(name: string, value?: string): string;
}

export const COMMAND_WORDS: ImportWords = {
  name: 'command',
  option: (name) => `--${NAMES[name] ?? name}`.replaceAll('_', '-'),
  mapped: (column, field) => `--map ${shellWord(`${column}=${field}`)}`,
  mappedAll: (pairs) => pairs.map(([column, field]) => `--map ${shellWord(`${column}=${field}`)}`).join(' '),
  answer: (option, value) => {
    if (option === 'add') return '--add';
    return option === 'headerRow' ? `--header-row ${value}` : `--${option} ${shellWord(value)}`;
  },
  ignoreUnknown: '--ignore-unknown',
  lenient: '--lenient',
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

export const REQUEST_WORDS: RequestWords = {
  name: 'request',
  option: (name) => (name === 'encoding' ? 'charset' : (NAMES[name] ?? name)),
  mapped: (column, field) => `map=${parameterValue(column)}:${field}`,
  mappedAll: (pairs) => pairs.map(([column, field]) => `map=${parameterValue(column)}:${field}`).join('&'),
  answer: (option, value) =>
    option === 'encoding'
      ? `charset=${value} to the Content-Type`
      : `${NAMES[option] ?? option}=${parameterValue(value)}`,
  ignoreUnknown: 'ignore_unknown=true',
  lenient: 'lenient=true',
  replace: 'replace=true',
  confirm: 'confirm=true',
  container: 'body',
  parameter: (name, value) => (value === undefined ? name : `${name}=${value}`),
};

/** For requests of the client in JavaScript, whose callers have never seen a parameter. */
export const CLIENT_WORDS: RequestWords = {
  name: 'client',
  option: (name) => name,
  mapped: (column, field) => `map: { ${literalPair(column, field)} }`,
  mappedAll: (pairs) => `map: { ${pairs.map(([column, field]) => literalPair(column, field)).join(', ')} }`,
  answer: (option, value) => `${option}: ${option === 'add' || option === 'headerRow' ? value : literal(value)}`,
  ignoreUnknown: 'ignoreUnknown: true',
  lenient: 'lenient: true',
  replace: 'replace: true',
  confirm: 'confirm: true',
  hints: {
    rows_rejected: "Fix the rows in errors, which has the first 20, or skip them with onError: 'skip'.",
    invalid_import_option: 'The guide of the client describes all options of import.',
  },
  container: 'body',
  parameter: (name, value) => {
    const option = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return value === undefined ? option : `${option}: ${value}`;
  },
};

/** Where the rules of a watched folder are. */
export const RULES_FILE = 'watch.json';

/** For a watched folder. */
export const WATCH_WORDS: ImportWords = {
  name: 'watch',
  option: (name) => `"${name}"`,
  mapped: (column, field) => watchedMap([[column, field]]),
  mappedAll: watchedMap,
  answer: (option, value) => {
    if (option === 'add') return `"add": ${value} to its entry in ${RULES_FILE}`;
    const place = option === 'key' ? 'its entry' : 'a mapping of its entry';
    const kept = option === 'headerRow' ? Number(value) : value;
    return `${JSON.stringify({ [option]: kept }).slice(1, -1)} to ${place} in ${RULES_FILE}`;
  },
  ignoreUnknown: `"ignoreUnknown": true in a mapping of its entry in ${RULES_FILE}`,
  lenient: `"lenient": true to a mapping of its entry in ${RULES_FILE}`,
  replace: '"replace"',
  confirm: `"confirm": true to its entry in ${RULES_FILE}`,
  container: 'file',
};

export const IMPORT_WORDS = {
  command: COMMAND_WORDS,
  mapping: MAPPING_WORDS,
  request: REQUEST_WORDS,
  client: CLIENT_WORDS,
  watch: WATCH_WORDS,
} satisfies Record<WordsName, ImportWords>;

function literalPair(column: string, field: string): string {
  return `${literal(column)}: ${field === '' ? 'null' : literal(field)}`;
}

function watchedMap(pairs: readonly (readonly [column: string, field: string])[]): string {
  const map = Object.fromEntries(pairs.map(([column, field]) => [column, field === '' ? null : field]));
  return `"map": ${JSON.stringify(map)} in ${RULES_FILE}`;
}

/** As it is written in an address, in which commas and slashes may be. */
function parameterValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2C', ',').replaceAll('%2F', '/');
}

/** In quotes in which a shell replaces nothing. */
function shellWord(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** Those that are not called what they are called in the program. */
const NAMES: Partial<Record<ReadingOption, string>> = {
  ignoreUnknown: 'ignore_unknown',
  emptyText: 'empty_text',
  headerRow: 'header_row',
};
