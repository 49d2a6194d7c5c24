/** What the options of an import are called, in messages: they are flags of a command, or parameters of a request. */

export interface ImportWords {
  readonly map: string;
  /** The option that renames a column to a field, or ignores it if that is empty. */
  mapped(column: string, field: string): string;
  readonly replace: string;
  /** What confirms that many records are removed. */
  readonly confirm: string;
  /** What the rows are in. */
  readonly container: 'file' | 'body';
}

export const COMMAND_WORDS: ImportWords = {
  map: '--map',
  mapped: (column, field) => `--map "${column}=${field}"`,
  replace: '--replace',
  confirm: '--yes',
  container: 'file',
};

export const REQUEST_WORDS: ImportWords = {
  map: 'map',
  mapped: (column, field) => `map=${column}:${field}`,
  replace: 'replace=true',
  confirm: 'confirm=true',
  container: 'body',
};
