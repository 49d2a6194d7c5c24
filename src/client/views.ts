/** Saved views of the console. */

import type { Call, Connection } from './connection.ts';
import { unlessMissing } from './imports.ts';
import { checkOptions, type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

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

const VIEW_OPTIONS: NamesOf<ViewOptions> = { ifMatch: 1, ...REQUEST_OPTIONS };

/** The saved views of the account. */
export class Views {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** All of them, by resource and name. */
  async list(options: RequestOptions = {}): Promise<readonly View[]> {
    checkOptions('list', options, REQUEST_OPTIONS);
    return this.#connection.data({ ...options, path: 'views' });
  }

  /** One view. Undefined if it doesn't exist. */
  async get(id: string, options: RequestOptions = {}): Promise<View | undefined> {
    checkOptions('get', options, REQUEST_OPTIONS);
    return unlessMissing('view_not_found', this.#connection.data<View>(callFor(id, options)));
  }

  /** Saves a view under an id that the caller chooses: a new one, or in place of the one that has it. */
  async save(id: string, body: NewView, options: ViewOptions = {}): Promise<View> {
    checkOptions('save', options, VIEW_OPTIONS);
    return this.#connection.data({ ...callFor(id, options), method: 'PUT', body });
  }

  /** Rejects with `view_not_found` if it doesn't exist. */
  async remove(id: string, options: ViewOptions = {}): Promise<void> {
    checkOptions('remove', options, VIEW_OPTIONS);
    await this.#connection.json({ ...callFor(id, options), method: 'DELETE' });
  }
}

function callFor(id: string, { ifMatch, ...options }: ViewOptions): Call {
  return { ...options, path: `views/${encodeURIComponent(id)}`, headers: ifMatch ? { 'if-match': ifMatch } : {} };
}
