/** Reads records of Odoo, a page at a time, in the order of ids. */

import { type Domain, isObject, type Odoo, type OdooArguments, type OdooRow } from './odoo.ts';
import { OdooError } from './odoo-error.ts';

/** Above this, Odoo takes twice as long for every row. */
export const PAGE = 1_000;

/** What Odoo says about a field. */
export interface OdooField {
  readonly name: string;
  readonly type: string;
  readonly label: string;
}

export interface ReaderOptions {
  /** The language of names, such as `de_DE`. Without one, Odoo's is American English, whatever the user has. */
  readonly language: string | undefined;
  /** The companies whose records and quantities are read; those of the key's user if there are none. */
  readonly companies: readonly number[];
  readonly signal: AbortSignal;
}

export class OdooReader {
  readonly #odoo: Odoo;
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #signal: AbortSignal;

  constructor(odoo: Odoo, { language, companies, signal }: ReaderOptions) {
    this.#odoo = odoo;
    this.#signal = signal;
    this.#context = {
      // Archived records as well.
      active_test: false,
      ...(language !== undefined && { lang: language }),
      ...(companies.length > 0 && { allowed_company_ids: companies }),
    };
  }

  async fields(model: string): Promise<readonly OdooField[]> {
    const found = await this.#call(model, 'fields_get', { attributes: ['type', 'string'] });
    if (!isObject(found)) throw unexpected(model);
    return Object.entries(found).flatMap(([name, about]) =>
      isObject(about) ? [{ name, type: String(about['type']), label: String(about['string']) }] : [],
    );
  }

  async count(model: string): Promise<number> {
    const count = await this.#call(model, 'search_count', { domain: [] });
    if (typeof count !== 'number') throw unexpected(model);
    return count;
  }

  /** All ids, in their order, from one snapshot. */
  async ids(model: string): Promise<readonly number[]> {
    const ids = await this.#call(model, 'search', { domain: [], order: 'id' });
    if (!Array.isArray(ids)) throw unexpected(model);
    return ids.map(Number);
  }

  /** The time of the latest write, on Odoo's clock; undefined if there are no records. */
  async newestWrite(model: string): Promise<string | undefined> {
    const [row] = await this.#rows(model, [], { fields: ['write_date'], order: 'write_date desc, id desc', limit: 1 });
    return row === undefined ? undefined : writeTime(row);
  }

  /** The records after an id, at most a page. */
  page(model: string, fields: readonly string[], domain: Domain, after: number): Promise<readonly OdooRow[]> {
    return this.#rows(model, [...domain, ['id', '>', after]], { fields, order: 'id', limit: PAGE });
  }

  /** All of them, a page at a time. */
  async *pages(model: string, fields: readonly string[], domain: Domain): AsyncGenerator<readonly OdooRow[], void> {
    let after = 0;
    for (;;) {
      const rows = await this.page(model, fields, domain, after);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return;
      after = last.id;
    }
  }

  async #rows(model: string, domain: Domain, args: OdooArguments): Promise<readonly OdooRow[]> {
    // Without `load`, a reference is a pair of an id and a name.
    const rows = await this.#call(model, 'search_read', { domain, load: null, ...args });
    if (!Array.isArray(rows) || !rows.every(isRow)) throw unexpected(model);
    return rows;
  }

  #call(model: string, method: string, args: OdooArguments): Promise<unknown> {
    return this.#odoo.call(model, method, { ...args, context: this.#context }, this.#signal);
  }
}

function isRow(value: unknown): value is OdooRow {
  return isObject(value) && typeof value['id'] === 'number';
}

/** Of every record. Odoo never leaves it empty. */
export function writeTime(row: OdooRow): string {
  return String(row['write_date']);
}

function unexpected(model: string): OdooError {
  return new OdooError('refused', `The response of Odoo about ${model} is not what it should be.`);
}
