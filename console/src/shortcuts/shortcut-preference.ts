/** Whether single keys are shortcuts. People who speak to their computer, or press keys by accident, turn them off. */

import { readPreference, writePreference } from '../ui/preference.ts';

export function areShortcutsOn(): boolean {
  return readPreference('shortcuts', ['on', 'off']) === 'on';
}

export function turnShortcuts(state: 'on' | 'off'): void {
  writePreference('shortcuts', state);
}
