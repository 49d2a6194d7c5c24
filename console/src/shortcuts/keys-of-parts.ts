/** Keys of single parts of the page, which work while the focus is there. */

import type { Shortcut } from './shortcuts.ts';

export const KEYS_OF_PARTS: readonly Shortcut[] = [
  {
    keys: 'Tab',
    where: 'page',
    does: 'moves between the parts of the page; the table and the chips are one stop each',
  },
  { keys: 'Enter', where: 'search', does: 'searches at once, or takes the condition that was chosen with the arrows' },
  { keys: 'Escape', where: 'search', does: 'closes the conditions, then clears the search' },
  { keys: 'arrows, Home, End, Page Up, Page Down', where: 'table', does: 'move between rows, and between headers' },
  { keys: 'Enter', where: 'row', does: 'shows the record' },
  { keys: 'Space', where: 'row', does: 'selects it, or no longer; with Shift, all rows up to it' },
  { keys: 'Shift + up, down', where: 'row', does: 'selects the next row as well' },
  { keys: 'Ctrl + A', where: 'table', does: 'selects all rows of the page, or none' },
  { keys: 'Ctrl + C', where: 'selected rows', does: 'copies them for a spreadsheet' },
  { keys: 'Escape', where: 'table', does: 'clears the selection' },
  { keys: 'Escape', where: 'record', does: 'closes it' },
  { keys: 'Enter, F2', where: 'field of a record', does: 'edits it' },
  { keys: 'Enter, Escape', where: 'field that is edited', does: 'saves it, cancels' },
  { keys: 'Shift + Enter', where: 'text that is edited', does: 'begins a new line' },
  { keys: 'Enter, Escape', where: 'notice of a removal', does: 'undoes the removal, closes the notice' },
  { keys: 'Enter', where: 'header', does: 'sorts; with Shift, in addition to the other columns' },
  { keys: 'Shift + left, right', where: 'header', does: 'changes the width' },
  { keys: 'Alt + Shift + left, right', where: 'header', does: 'moves the column' },
  { keys: 'Alt + down', where: 'header', does: 'opens the menu of the column' },
  { keys: 'arrows', where: 'chips', does: 'move between chips' },
  { keys: 'Enter', where: 'chip', does: 'edits it' },
  { keys: 'Delete, Backspace', where: 'chip', does: 'removes it' },
  { keys: 'Tab', where: 'text of the filter', does: 'completes' },
  {
    keys: 'Enter',
    where: 'text of the filter',
    does: 'applies it, or takes the completion that was chosen with the arrows',
  },
];
