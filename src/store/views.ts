/** Saved views: what people call a selection of records in the console, kept in the account. */

import type { NewView } from '../plan/view.ts';
import type { Caller, NoAccess } from './caller.ts';

export interface Views {
  /** All of the account, by resource and name. */
  list(caller: Caller): Promise<ViewList | NoAccess>;
  find(caller: Caller, id: string): Promise<SavedView | undefined | NoAccess>;
  /** Saves a view, whether or not there is one with its id. */
  save(caller: Caller, view: NewView, expected?: ExpectedVersion): Promise<ViewSaved | ViewNotSaved | NoAccess>;
  remove(caller: Caller, id: string, expected?: ExpectedVersion): Promise<ViewRemoved | NoAccess>;
}

export interface SavedView extends NewView {
  /** Random, and different after every change. */
  readonly version: number;
  readonly savedAt: string;
}

export interface ViewList {
  readonly views: readonly SavedView[];
  /** Random, and different after every change of any view. 0 if there has never been one. */
  readonly version: number;
}

/** The version that a view must have, or that there must be one. */
export type ExpectedVersion = '*' | readonly number[];

export interface ViewSaved {
  readonly kind: 'saved';
  readonly view: SavedView;
  readonly isNew: boolean;
}

export type ViewNotSaved =
  /** It does not have an expected version. Undefined if it doesn't exist. */
  | { readonly kind: 'changed'; readonly view: SavedView | undefined }
  /** Another view of the resource has the name. */
  | { readonly kind: 'name taken'; readonly id: string }
  | { readonly kind: 'too many' };

export type ViewRemoved =
  | { readonly kind: 'removed' }
  | { readonly kind: 'not found' }
  | { readonly kind: 'changed'; readonly view: SavedView };

/** The maximum number of views of an account. */
export const MAX_VIEWS = 200;

/** The maximum number of characters of the queries of all views of an account: they are read at once. */
export const MAX_VIEW_CHARACTERS = 200_000;
