/** A request as it arrives: what the HTTP server hands to the application. */

import type { Problem } from '../problem/problem.ts';
import type { Deadline } from '../schedule/deadline.ts';
import type { Target } from './target.ts';
import type { Trace } from './trace-context.ts';

/** Of the address that a client has requested. */
export type Scheme = 'http' | 'https';

export interface Request {
  readonly id: string;
  /** The client's IP address, which is not that of a trusted proxy. */
  readonly address: string;
  /** How the client has reached a trusted proxy. Undefined if none says it. */
  readonly scheme?: Scheme | undefined;
  readonly deadline: Deadline;
  readonly method: string;
  readonly target: Target;
  /** The key of a session of the console, from its cookie, if that counts. Then it is the key of the request. */
  readonly sessionKey?: string | undefined;
  /** `1.0` or `1.1`. */
  readonly httpVersion: string;
  /** Names in lowercase. */
  readonly headers: RequestHeaders;
  /** The headers as sent: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  /** Undefined if the request does not say that it belongs to one. */
  readonly trace?: Trace | undefined;
  /**
   * Reads the body, once, if it has no more than `maxBytes` bytes. A request that is handled again, under another session, gets
   * the same.
   */
  body(maxBytes: number): Promise<Uint8Array | Problem>;
  /** The body as it arrives, once. Throws `BodyFailed`. */
  stream(maxBytes: number): AsyncIterable<Uint8Array>;
  /** Whether the body is being read as a stream, or was. Then the request cannot be handled again. */
  isStreamed(): boolean;
}

export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly 'stockbook-console'?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
  readonly 'sec-fetch-mode'?: string | undefined;
  readonly 'sec-fetch-dest'?: string | undefined;
  readonly forwarded?: string | undefined;
  readonly 'x-forwarded-for'?: string | undefined;
  readonly 'x-forwarded-proto'?: string | readonly string[] | undefined;
  readonly traceparent?: string | undefined;
  readonly accept?: string | undefined;
  readonly 'accept-encoding'?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'access-control-request-method'?: string | undefined;
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly prefer?: string | undefined;
  readonly 'last-event-id'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'idempotency-key'?: string | undefined;
  readonly 'mcp-protocol-version'?: string | undefined;
  readonly 'mcp-method'?: string | undefined;
  readonly 'mcp-name'?: string | undefined;
  readonly 'x-request-id'?: string | readonly string[] | undefined;
}
