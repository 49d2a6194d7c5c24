/**
 * How a file is imported, as the parameters of the address: they have the names that the API has for the same, so a link with
 * them can be used for the next file of its kind.
 *
 *     /products/import?key=default_code&map=Preis:list_price
 */

import { readMapEntry } from '../../../src/catalog/map-entry.ts';
import { readableQuery } from '../view/readable-query.ts';

/** What decides how a file is read. A question may be about each of them. */
export const READING_PARAMETERS = [
  'encoding',
  'delimiter',
  'sheet',
  'header_row',
  'decimal',
  'dates',
  'timezone',
  'empty_text',
  'ignore_unknown',
  'lenient',
  'add',
] as const;

/** Not `confirm`: nobody confirms something by following a link. */
const PARAMETERS = ['key', 'replace', 'on_error', 'map', ...READING_PARAMETERS] as const;
export type Parameter = (typeof PARAMETERS)[number];

/** The fields that columns set, as far as somebody has decided it. Null ignores a column. */
export type ColumnMap = ReadonlyMap<string, string | null>;

export class ImportSettings {
  readonly #parameters: URLSearchParams;

  constructor(search: string) {
    this.#parameters = new URLSearchParams(search);
  }

  /** Names that an import does not have. */
  get unknown(): readonly string[] {
    return [...new Set(this.#parameters.keys())].filter((name) => !PARAMETERS.some((known) => known === name));
  }

  /** Whether nothing was decided. */
  get isEmpty(): boolean {
    return this.#parameters.size === 0;
  }

  get(name: Exclude<Parameter, 'map'>): string | undefined {
    return this.#parameters.get(name) || undefined;
  }

  get columns(): ColumnMap {
    const entries = this.#parameters.getAll('map').flatMap((entry) => readMapEntry(entry) ?? []);
    return new Map(entries.map(({ column, field }) => [column, field || null]));
  }

  /** Undefined is as if it was never decided. */
  with(name: Exclude<Parameter, 'map'>, value: string | undefined): ImportSettings {
    const parameters = new URLSearchParams(this.#parameters);
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
    return new ImportSettings(String(parameters));
  }

  withColumn(column: string, field: string | null): ImportSettings {
    const parameters = new URLSearchParams(this.#parameters);
    parameters.delete('map');
    for (const [name, set] of new Map([...this.columns, [column, field]]))
      parameters.append('map', `${name}:${set ?? ''}`);
    return new ImportSettings(String(parameters));
  }

  cleared(): ImportSettings {
    return new ImportSettings('');
  }

  /** What the API takes as parameters. The encoding is part of the Content-Type. */
  get query(): URLSearchParams {
    const known = PARAMETERS.filter((name) => name !== 'encoding');
    return new URLSearchParams(
      known.flatMap((name) => this.#parameters.getAll(name).map((value): [string, string] => [name, value])),
    );
  }

  toString(): string {
    return readableQuery(String(this.#parameters));
  }
}
