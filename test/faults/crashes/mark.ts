/** What a test adds to the log of a disk: when it sent something, and when it was told that it is done. */

/** In one of the files, whichever that is. */
export const ANY_FILE = '*';

/** What is true from then on, whatever happens to the machine. */
export interface Promised {
  /** In SQL. */
  readonly holds: string;
  /** The file in which it is true; that of the service by default. */
  readonly database?: string | typeof ANY_FILE;
  /** Is true if a part of it is there without the rest. In SQL as well. */
  readonly half?: string;
  /** Nothing that follows changes it. */
  readonly isFinal?: true;
}

/** A request with an idempotency key, and the response. */
export interface Repeatable {
  readonly account: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly text: string;
}

export type Mark =
  /** What comes before has made the database, and no crash is looked at. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun'; readonly operation: number }
  /** Nobody was told whether it is done. */
  | { readonly kind: 'ended'; readonly operation: number }
  | {
      readonly kind: 'acknowledged';
      readonly operation: number;
      readonly name: string;
      readonly promised: Promised;
      readonly repeatable?: Repeatable;
    };

export function readMark(text: string): Mark {
  return JSON.parse(text);
}
