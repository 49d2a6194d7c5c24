/** Saved views of the console. */

import type { Call, Connection, RequestOptions } from './connection.ts';
import { unlessMissing } from './imports.ts';

export interface NewView {
  /** Unique among the views of its resource. */
  readonly name: string;
  /** The name of the resource: `product`. */
  readonly resource: string;
  /** The query string of the console. */
  readonly query: string;
  /** Whether the console shows it first when somebody opens the resource. */
  readonly isFirstPage?: boolean | undefined;
}

export interface View extends NewView {
  readonly id: string;
  readonly isFirstPage: boolean;
  readonly savedAt: string;
  /** Changes with every change of the view. */
  readonly etag: string;
}

interface ViewOptions extends RequestOptions {
  /** The tag that the view must have. Rejects with `view_changed` if somebody else has changed or removed it since. */
  readonly ifMatch?: string | undefined;
}

/** The saved views of the account. */
export class Views {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All of them, by resource and name. */
  list(options: RequestOptions = {}): Promise<readonly View[]> {
    return this.#connection.data({ ...options, path: 'views' });
  }

  /** One view. Undefined if it doesn't exist. */
  get(id: string, options: RequestOptions = {}): Promise<View | undefined> {
    return unlessMissing('view_not_found', this.#connection.data<View>(callFor(id, options)));
  }

  /** Saves a view under an id that the caller chooses: a new one, or in place of the one that has it. */
  save(id: string, body: NewView, options: ViewOptions = {}): Promise<View> {
    return this.#connection.data({ ...callFor(id, options), method: 'PUT', body });
  }

  /** Rejects with `view_not_found` if it doesn't exist. */
  async remove(id: string, options: ViewOptions = {}): Promise<void> {
    await this.#connection.json({ ...callFor(id, options), method: 'DELETE' });
  }
}

function callFor(id: string, { ifMatch, ...options }: ViewOptions): Call {
  return { ...options, path: `views/${encodeURIComponent(id)}`, headers: ifMatch ? { 'if-match': ifMatch } : {} };
}
