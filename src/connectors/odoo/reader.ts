/** Reads records of Odoo, a page at a time, in the order of ids. */

import { type Domain, isObject, type Odoo, type OdooArguments, type OdooRow } from './odoo.ts';
import { OdooError } from './odoo-error.ts';

/** How many records are read at a time. With more, Odoo takes twice as long for each of them. */
export const PAGE_SIZE = 1_000;

/** What Odoo says about a field. */
export interface OdooField {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  /** False if Odoo computes it whenever it is read. */
  readonly isStored: boolean;
  /** Whether every company has a value of its own. */
  readonly isPerCompany: boolean;
  /** The fields that a computed one depends on: `name`, or `categ_id.name` of another record. */
  readonly depends: readonly string[];
}

const ATTRIBUTES = ['type', 'string', 'store', 'company_dependent', 'depends'];

export interface ReaderOptions {
  /** The language of names, such as `de_DE`. Without one, Odoo's is American English, whatever the user has. */
  readonly language: string | undefined;
  /** The companies whose records and quantities are read; those of the key's user if there are none. */
  readonly companies: readonly number[];
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

export class OdooReader {
  readonly #odoo: Odoo;
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #pageSize: number;
  readonly #signal: AbortSignal;

  constructor(odoo: Odoo, { language, companies, pageSize, signal }: ReaderOptions) {
    this.#odoo = odoo;
    this.#pageSize = pageSize;
    this.#signal = signal;
    this.#context = {
      // Archived records as well.
      active_test: false,
      ...(language !== undefined && { lang: language }),
      ...(companies.length > 0 && { allowed_company_ids: companies }),
    };
  }

  async fields(model: string): Promise<readonly OdooField[]> {
    const found = await this.#call(model, 'fields_get', { attributes: ATTRIBUTES });
    if (!isObject(found)) throw unexpected(model);
    return Object.entries(found).flatMap(([name, about]) => {
      if (!isObject(about)) return [];
      const { type, string, store, company_dependent: isPerCompany, depends } = about;
      return [
        {
          name,
          type: String(type),
          label: String(string),
          isStored: store !== false,
          isPerCompany: isPerCompany === true,
          depends: Array.isArray(depends) ? depends.map(String) : [],
        },
      ];
    });
  }

  /** The id of the key's user. */
  async user(): Promise<number> {
    const found = await this.#call('res.users', 'context_get', {});
    if (!isObject(found) || typeof found['uid'] !== 'number') throw unexpected('res.users');
    return found['uid'];
  }

  /** How many records have an id after this one. */
  async count(model: string, after: number): Promise<number> {
    const count = await this.#call(model, 'search_count', { domain: [['id', '>', after]] });
    if (typeof count !== 'number') throw unexpected(model);
    return count;
  }

  /** All ids, in their order, from one snapshot. */
  async ids(model: string): Promise<readonly number[]> {
    const ids = await this.#call(model, 'search', { domain: [], order: 'id' });
    if (!Array.isArray(ids)) throw unexpected(model);
    return ids.map(Number);
  }

  /** The time of the latest write up to another, on Odoo's clock; null if there is none. */
  async newestWrite(model: string, upTo: string): Promise<string | null> {
    // Records that were made by SQL may have none, which would come first.
    const [row] = await this.#rows(
      model,
      [
        ['write_date', '!=', false],
        ['write_date', '<=', upTo],
      ],
      {
        fields: ['write_date'],
        order: 'write_date desc, id desc',
        limit: 1,
      },
    );
    return row === undefined ? null : writeTime(row);
  }

  /** The records after an id, at most a page. */
  page(model: string, fields: readonly string[], domain: Domain, after: number): Promise<readonly OdooRow[]> {
    return this.#rows(model, [...domain, ['id', '>', after]], { fields, order: 'id', limit: this.#pageSize });
  }

  /** All of them, a page at a time. */
  async *pages(model: string, fields: readonly string[], domain: Domain): AsyncGenerator<readonly OdooRow[], void> {
    let after = 0;
    for (;;) {
      const rows = await this.page(model, fields, domain, after);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < this.#pageSize) return;
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

export function writeTime(row: OdooRow): string | null {
  const time = row['write_date'];
  return typeof time === 'string' ? time : null;
}

function unexpected(model: string): OdooError {
  return new OdooError('refused', `The response of Odoo about ${model} is not what it should be.`);
}
