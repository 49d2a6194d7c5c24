/** What happens in a running service. Code emits events; the log and other listeners subscribe. */

export type ServiceEvent =
  | {
      readonly kind: 'listening';
      readonly address: string;
      readonly database: string;
      readonly domain: string;
      readonly version: string;
    }
  /** Older versions of the program can no longer use the database. */
  | { readonly kind: 'database upgraded'; readonly from: number; readonly to: number }
  /** All requests fail until the file is put back. Reported once. */
  | { readonly kind: 'database file replaced'; readonly error: unknown }
  | { readonly kind: 'stopping'; readonly signal: string }
  /** Everything has stopped, or is cut off because it took too long. */
  | { readonly kind: 'stopped'; readonly forced: boolean }
  /** A worker process exited by itself; another replaces it. */
  | { readonly kind: 'worker exited'; readonly pid: number; readonly cause: string }
  | RequestCompleted
  /** A sample: at most one per second. */
  | {
      readonly kind: 'authentication failed';
      readonly requestId: string;
      readonly address: string;
      /** The code of the error that the client got. */
      readonly reason: string;
      /** How many more have failed since the previous event. */
      readonly notLogged: number;
    }
  /** A bug. */
  | { readonly kind: 'request failed'; readonly requestId: string; readonly error: unknown }
  | { readonly kind: 'store unavailable'; readonly requestId: string; readonly error: unknown }
  /** An error ended a stream before all of it was sent. */
  | { readonly kind: 'stream aborted'; readonly requestId: string; readonly error: unknown }
  | ResponseAborted
  /** A limit on connections is reached. At most one per minute. */
  | { readonly kind: 'connection refused'; readonly address: string; readonly detail: string }
  /** It is tried again later. */
  | { readonly kind: 'key use not stored'; readonly error: unknown }
  /** Likewise. */
  | { readonly kind: 'changes not pruned'; readonly error: unknown }
  /** Likewise: with the next start. */
  | { readonly kind: 'settings not recorded'; readonly error: unknown }
  | {
      readonly kind: 'index built';
      readonly account: number;
      readonly resource: string;
      readonly megabytes: number;
      readonly milliseconds: number;
    }
  /** It was not used any more, or others needed its memory. */
  | {
      readonly kind: 'index dropped';
      readonly account: number;
      readonly resource: string;
      readonly megabytes: number;
    }
  /** It is tried again later; meanwhile the database does its work. */
  | { readonly kind: 'index not built'; readonly error: unknown };

export interface RequestCompleted {
  readonly kind: 'request completed';
  readonly requestId: string;
  readonly method: string;
  /** Without the query string, which may be confidential. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Absent if the request was not authenticated. */
  readonly account?: string;
  readonly key?: string;
}

/** The client was disconnected before it had read all of a response. */
export interface ResponseAborted {
  readonly kind: 'response aborted';
  readonly requestId: string;
  /** It took until the deadline of the request, more than `--stream-timeout`, or read too slowly. */
  readonly reason: 'deadline' | 'stream timeout' | 'too slow';
}

export type Emit = (event: ServiceEvent) => void;

export interface Listener {
  (event: ServiceEvent): void;
  /** Kinds of events that the listener ignores; the most frequent ones are then not even created. */
  readonly ignores?: (kind: ServiceEvent['kind']) => boolean;
}

/** Passes events on to all listeners. */
export class Events {
  readonly #listeners: readonly Listener[];

  constructor(...listeners: readonly Listener[]) {
    this.#listeners = listeners;
  }

  readonly emit: Emit = (event) => {
    for (const listener of this.#listeners) listener(event);
  };

  /** Whether any listener wants events of this kind. */
  wants(kind: ServiceEvent['kind']): boolean {
    return this.#listeners.some(({ ignores }) => ignores?.(kind) !== true);
  }
}

/** From most to least severe, then none. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
