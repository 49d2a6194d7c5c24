/** JSON-2, the API of Odoo 19 and later: `POST /json/2/<model>/<method>`, with the arguments as the body. */

import type { Clock } from '../../schedule/clock.ts';
import { errorIn, type Odoo, type OdooArguments, type OdooOptions, post } from './odoo.ts';
import { missingModel, OdooError, wrongDatabase, wrongKey } from './odoo-error.ts';

export class Json2 implements Odoo {
  readonly version: number;
  readonly #options: OdooOptions;
  readonly #clock: Clock;

  constructor(version: number, options: OdooOptions, clock: Clock) {
    this.version = version;
    this.#options = options;
    this.#clock = clock;
  }

  async call(model: string, method: string, args: OdooArguments, signal?: AbortSignal): Promise<unknown> {
    const { url, key, database, fetch } = this.#options;
    const headers = { authorization: `bearer ${key}`, 'x-odoo-database': database };
    const path = new URL(`json/2/${model}/${method}`, url);
    const { status, json, retryAfter } = await post(path, headers, args, {
      clock: this.#clock,
      signal,
      fetch,
    });
    if (status === 200 && json !== undefined) return json;
    if (status === 401) throw wrongKey();
    // Only a 404 in JSON is about a model. In HTML, there is no database: a wrong one, or PostgreSQL is down.
    if (status === 404 && json === undefined) throw wrongDatabase('it responds with a page that says 404.');
    const error = errorIn(json, model);
    if (status === 404 && error?.kind === 'refused') throw missingModel(model);
    throw error ?? new OdooError('unavailable', `Odoo responds with status ${status}.`, { retryAfter });
  }
}
