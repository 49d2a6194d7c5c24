/** Keys that do something wherever nobody is typing. The page that lists them, tooltips and the guide derive from this table. */

export interface Shortcut {
  readonly keys: string;
  readonly where: string;
  /** Follows the keys in a sentence. */
  readonly does: string;
}

const where = 'everywhere';

export const SHORTCUTS = {
  search: { keys: '/', where, does: 'goes to the search' },
  condition: { keys: 'f', where, does: 'adds a condition' },
  create: { keys: 'n', where, does: 'creates a partner' },
  columns: { keys: 'c', where, does: 'chooses the columns' },
  export: { keys: 'e', where, does: 'exports what is shown' },
  live: { keys: 'l', where, does: 'follows changes, or no longer' },
  panel: { keys: 'p', where, does: 'shows or hides the side panel' },
  help: { keys: '?', where, does: 'lists all keys' },
} as const satisfies Readonly<Record<string, Shortcut>>;

export type ShortcutName = keyof typeof SHORTCUTS;
