/** What happens in a running service. Code says what happened; the log, and whoever else wants to know, listens. */

export type ServiceEvent =
  | {
      readonly kind: 'serving';
      readonly address: string;
      readonly database: string;
      readonly domain: string;
      readonly version: string;
    }
  /** The database was made by an older version, which cannot use it any more. */
  | { readonly kind: 'database upgraded'; readonly from: number; readonly to: number }
  | { readonly kind: 'stopping'; readonly signal: string }
  | { readonly kind: 'stopped' }
  /** One of several processes that serve has ended by itself; another takes its place. */
  | { readonly kind: 'worker ended'; readonly pid: number; readonly cause: string }
  | Answered
  /** A request failed through a fault of the program. */
  | { readonly kind: 'fault'; readonly requestId: string; readonly error: unknown }
  /** The store could not answer. */
  | { readonly kind: 'store unavailable'; readonly requestId: string; readonly error: unknown }
  /** A stream could not be sent to its end. */
  | { readonly kind: 'stream broken'; readonly requestId: string; readonly error: unknown }
  /** When keys were last used could not be written down; it is tried again. */
  | { readonly kind: 'key use not noted'; readonly error: unknown };

export interface Answered {
  readonly kind: 'answered';
  readonly requestId: string;
  readonly method: string;
  /** Without the query, which may hold what is nobody's business. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Whose request it was, where that is known. */
  readonly account?: string;
  readonly key?: string;
}

export interface Emit {
  (event: ServiceEvent): void;
  /** Kinds of events that nobody listens to: those that come with every request need not even be put together. */
  readonly ignores?: (kind: ServiceEvent['kind']) => boolean;
}

/** From which on what happens is logged. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
