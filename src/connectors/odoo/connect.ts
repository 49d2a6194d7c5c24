/** Finds out which Odoo there is, and by which protocol it is read. */

import type { Clock } from '../../schedule/clock.ts';
import { Json2 } from './json2.ts';
import { JsonRpc } from './jsonrpc.ts';
import { isObject, type Odoo, type OdooOptions, post, type Sending } from './odoo.ts';
import { OdooError } from './odoo-error.ts';

/** The first one that has JSON-2. */
const FIRST_WITH_JSON2 = 19;
const OLDEST = 17;

export async function connect(options: OdooOptions, clock: Clock, signal?: AbortSignal): Promise<Odoo> {
  const version = await versionOf(options.url, { clock, signal, fetch: options.fetch });
  if (version < OLDEST)
    throw new OdooError('not Odoo', `This is Odoo ${version}. The oldest that can be mirrored is ${OLDEST}.`);
  return version >= FIRST_WITH_JSON2 ? new Json2(version, options, clock) : new JsonRpc(version, options, clock);
}

/** All versions say it to everybody, without a key. */
async function versionOf(url: string, sending: Sending): Promise<number> {
  const body = { jsonrpc: '2.0', method: 'call', id: 1, params: {} };
  const { json } = await post(new URL('web/webclient/version_info', url), {}, body, sending);
  const result = isObject(json) ? json['result'] : undefined;
  const info = isObject(result) ? result['server_version_info'] : undefined;
  const version = Array.isArray(info) ? info[0] : undefined;
  // Servers of Odoo's own cloud have versions such as "saas~18.2".
  const number = Number(/\d+/.exec(String(version))?.[0]);
  if (Number.isInteger(number)) return number;
  throw new OdooError(
    'not Odoo',
    `There is no Odoo at ${url}: it does not say which version it is. --odoo-url is its address alone, such as https://acme.odoo.com.`,
  );
}
