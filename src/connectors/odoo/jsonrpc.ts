/** `/jsonrpc`, the API of Odoo 17 and 18: every response has status 200, and errors are in the body. */

import type { Clock } from '../../schedule/clock.ts';
import { errorIn, isObject, type Odoo, type OdooArguments, type OdooOptions, post } from './odoo.ts';
import { OdooError, wrongKey } from './odoo-error.ts';

export class JsonRpc implements Odoo {
  readonly version: number;
  readonly #options: OdooOptions;
  readonly #clock: Clock;
  #user: number | undefined;

  constructor(version: number, options: OdooOptions, clock: Clock) {
    this.version = version;
    this.#options = options;
    this.#clock = clock;
  }

  async call(model: string, method: string, args: OdooArguments, signal?: AbortSignal): Promise<unknown> {
    const { database, key } = this.#options;
    this.#user ??= await this.#authenticate(signal);
    const { ids, ...named } = args;
    const positional = ids === undefined ? [] : [ids];
    return this.#send(
      'object',
      'execute_kw',
      [database, this.#user, key, model, method, positional, named],
      model,
      signal,
    );
  }

  async #authenticate(signal?: AbortSignal): Promise<number> {
    const { database, login, key } = this.#options;
    if (login === undefined)
      throw new OdooError(
        'wrong key',
        'Odoo 17 and 18 need the login of the user that the key belongs to: --odoo-user.',
      );
    const user = await this.#send('common', 'authenticate', [database, login, key, {}], 'res.users', signal);
    if (typeof user !== 'number') throw wrongKey(login);
    return user;
  }

  async #send(
    service: string,
    method: string,
    args: readonly unknown[],
    model: string,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const body = { jsonrpc: '2.0', method: 'call', id: 1, params: { service, method, args } };
    const { url, fetch } = this.#options;
    const path = new URL('jsonrpc', url);
    const { status, json, retryAfter } = await post(path, {}, body, { clock: this.#clock, signal, fetch });
    if (isObject(json) && 'result' in json) return json['result'];
    const error = isObject(json) && isObject(json['error']) ? errorIn(json['error']['data'], model) : undefined;
    throw error ?? new OdooError('unavailable', `Odoo responds with status ${status}.`, { retryAfter });
  }
}
