/** An Odoo server: what a mirror asks of it. The two protocols that there are have a file each. */

import type { Clock } from '../../schedule/clock.ts';
import { Cancelled, Deadline } from '../../schedule/deadline.ts';
import { isUntrusted } from '../mirror/certificates.ts';
import { errorNamed, OdooError, untrusted } from './odoo-error.ts';

export interface Odoo {
  /** The version of the server, such as 19. */
  readonly version: number;
  /** Calls a method of a model. `ids` are the records it is called on; all others are arguments by name. */
  call(model: string, method: string, args: OdooArguments, signal?: AbortSignal): Promise<unknown>;
}

export interface OdooArguments {
  readonly ids?: readonly number[];
  readonly context?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

/** As Odoo sends it. */
export interface OdooRow {
  readonly id: number;
  readonly [field: string]: unknown;
}

/** A condition: field, operator, value. All conditions of a domain must hold. */
export type Domain = readonly (readonly [field: string, operator: string, value: unknown])[];

export interface OdooOptions {
  readonly url: string;
  readonly database: string;
  readonly key: string;
  /** The login of the key's user, which `/jsonrpc` needs. */
  readonly login: string | undefined;
  /** Sends the requests, in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** How a request is sent. */
export interface Sending extends Pick<OdooOptions, 'fetch'> {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** How long Odoo may take for a response, in milliseconds: longer than its own limit. */
const TIMEOUT = 180_000;

export interface OdooResponse {
  readonly status: number;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly retryAfter: number | undefined;
}

/** Sends JSON and reads what comes back. Anything but a response of an Odoo that works is an error. */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  { clock, signal, fetch: send = fetch }: Sending,
): Promise<OdooResponse> {
  let response: Response;
  let text: string;
  const deadline = new Deadline(TIMEOUT, clock);
  const signals = [deadline.signal, ...(signal === undefined ? [] : [signal])];
  try {
    response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    });
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    if (isUntrusted(error)) throw untrusted(url.origin, reasonOf(error).replace(/;.*/s, ''));
    throw new OdooError('unavailable', `Odoo cannot be reached at ${url.origin}: ${reasonOf(error)}.`);
  } finally {
    deadline.end();
  }
  if (response.status >= 300 && response.status < 400)
    throw new OdooError(
      'not Odoo',
      `${url.origin} redirects to ${response.headers.get('location')}. Use that address.`,
    );
  const retryAfter = secondsIn(response.headers.get('retry-after'));
  if ([429, 502, 503, 504].includes(response.status))
    throw new OdooError('unavailable', `Odoo is not available: it responds with status ${response.status}.`, {
      retryAfter,
    });
  return { status: response.status, json: parsed(text), retryAfter };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof Cancelled) return `no response within ${TIMEOUT / 1_000} seconds`;
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An error as both protocols describe it. */
export function errorIn(json: unknown, model: string): OdooError | undefined {
  if (!isObject(json) || typeof json['name'] !== 'string' || typeof json['message'] !== 'string') return undefined;
  return errorNamed(json['name'], json['message'], model);
}
