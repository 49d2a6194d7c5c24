/** What happens in a running service. Code emits events; the log and other listeners subscribe. */

import type { ProblemCode } from '../problem/registry.ts';

export type ServiceEvent =
  | {
      readonly kind: 'listening';
      readonly address: string;
      readonly adminAddress: string;
      readonly database: string;
      readonly domain: string;
      readonly version: string;
      /** Those that differ from their defaults, without secrets: `port=9000 workers=2`. */
      readonly settings: string | undefined;
    }
  /** The node of a cluster does not migrate. */
  | { readonly kind: 'connected to a worker node' }
  /** Statements about the accounts of a worker node go through the node that Stockbook is connected to, which is slower. */
  | { readonly kind: 'worker node not connected'; readonly address: string; readonly reason: string }
  /** Older versions of the program can no longer use the database. */
  | { readonly kind: 'database upgraded'; readonly from: number; readonly to: number }
  /** An outage has begun: requests fail with a 503. */
  | { readonly kind: 'database unavailable'; readonly reason: string; readonly error: unknown }
  | {
      readonly kind: 'database available again';
      /** How long the outage took. */
      readonly milliseconds: number;
      readonly failedRequests: number;
    }
  /** No process can serve requests: the readiness check failed. */
  | { readonly kind: 'not ready'; readonly workers: number; readonly reason: string | undefined }
  | {
      readonly kind: 'ready again';
      /** Since it was found not to be ready. */
      readonly milliseconds: number;
    }
  /** All requests fail until the file is put back. Reported once. */
  | { readonly kind: 'database file replaced'; readonly error: unknown }
  /** Requests about an account fail with a 503. At most one per account and minute. */
  | { readonly kind: 'ledger damaged'; readonly account: string; readonly error: unknown }
  | { readonly kind: 'stopping'; readonly signal: string }
  /** Everything has stopped, or is cut off because it took too long. */
  | { readonly kind: 'stopped'; readonly forced: boolean }
  /** A worker process exited by itself; another replaces it. */
  | { readonly kind: 'worker exited'; readonly worker: number; readonly cause: string }
  | {
      readonly kind: 'worker replaced';
      readonly worker: number;
      /** The worker that exited. */
      readonly replaces: number;
      /** From its exit until the new one listens. */
      readonly milliseconds: number;
    }
  | RequestCompleted
  /** The response was sent before the import was made. */
  | { readonly kind: 'import failed'; readonly importId: string; readonly error: unknown }
  /** A sample: at most one per second. */
  | {
      readonly kind: 'authentication failed';
      readonly requestId: string;
      readonly route: string;
      readonly address: string;
      /** The account that the host names, if it exists. */
      readonly account: string | undefined;
      /** The public id of the key, if it exists. */
      readonly key: string | undefined;
      /** Why it failed, which the client does not learn. */
      readonly reason: string;
      /** How many more have failed since the previous event. */
      readonly notLogged: number;
    }
  /** A bug. */
  | { readonly kind: 'request failed'; readonly requestId: string; readonly error: unknown }
  /** An error ended a stream before all of it was sent. */
  | { readonly kind: 'stream aborted'; readonly requestId: string; readonly error: unknown }
  | ResponseAborted
  /** A limit on connections is reached. At most one per minute. */
  | { readonly kind: 'connection refused'; readonly address: string; readonly detail: string }
  /** Fewer connections are accepted than the settings allow. */
  | {
      readonly kind: 'too few descriptors';
      /** How many files a process may open. */
      readonly descriptors: number;
      readonly maxConnections: number;
    }
  /** A process cannot open any file, nor accept a connection. At most one per minute. */
  | { readonly kind: 'descriptors exhausted'; readonly error: unknown }
  /** SQLite: it was longer than limits.md says for a minute, because somebody reads or writes all the time. Once, until it was short again. */
  | {
      readonly kind: 'write-ahead log too long';
      readonly megabytes: number;
      /** How many long reads of this process are under way. */
      readonly reads: number;
    }
  /** It is tried again later. */
  | { readonly kind: 'key use not stored'; readonly error: unknown }
  /** Likewise. */
  | { readonly kind: 'maintenance failed'; readonly job: string; readonly error: unknown }
  /** Likewise: with the next start. */
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

/**
 * Nothing in it comes from the client as it was sent, except its request id and the ids of its trace, whose form is checked:
 * a path or a header may contain a secret.
 */
export interface RequestCompleted {
  readonly kind: 'request completed';
  readonly requestId: string;
  /** Empty if the request was malformed. */
  readonly method: string;
  /** The path in the table of routes, with its parameter as `{id}`: one of `routeNames`. */
  readonly route: string;
  readonly status: number;
  /** The code of the error that the client got. An agent gets it as text, with the status 200. */
  readonly problem: ProblemCode | undefined;
  readonly milliseconds: number;
  /** Until the response began, in milliseconds, without the time that the client asked to wait for changes. */
  readonly latency: number;
  /** The client's IP address. */
  readonly address: string;
  /** Undefined if the request was not authenticated. */
  readonly account: string | undefined;
  readonly key: string | undefined;
  /** Of the body of the response, as far as it was sent. */
  readonly bytes: number;
  /** Records in the response; undefined if it does not consist of records. */
  readonly rows: number | undefined;
  readonly totalSource: string | undefined;
  /** The trace that the request belongs to, and the span that it comes from; undefined if the client did not say. */
  readonly traceId: string | undefined;
  readonly parentId: string | undefined;
  /** The filter with `…` for its values. Computed when it is read. */
  readonly filter: string | undefined;
  /** The filter with its values, which may be confidential. Computed when it is read. */
  readonly fullFilter: string | undefined;
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

/** `auto` is text on a terminal, and JSON otherwise. */
export const LOG_FORMATS = ['auto', 'json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Which requests have a line in the log: all, those that failed, or those and this share of the others. */
export type AccessLog = 'all' | 'errors' | number;

/** From most to least severe, then none. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
