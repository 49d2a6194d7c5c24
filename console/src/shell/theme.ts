/** Light or dark: what the system has, until somebody chooses. */

import { readPreference, writePreference } from '../ui/preference.ts';

export type Theme = 'light' | 'dark';

const NAME = 'theme';

/** The theme that is shown. */
export function currentTheme(): Theme {
  const chosen = readPreference(NAME, ['system', 'light', 'dark']);
  if (chosen !== 'system') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  writePreference(NAME, theme);
  applyTheme();
}

/** Without a choice, the page follows the system. */
export function applyTheme(): void {
  const chosen = readPreference(NAME, ['system', 'light', 'dark']);
  if (chosen !== 'system') document.documentElement.dataset['theme'] = chosen;
}
