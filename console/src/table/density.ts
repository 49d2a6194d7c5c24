/** How high the rows of the table are, in this browser. */

import { readPreference, writePreference } from '../ui/preference.ts';

const NAME = 'density';

/** The first is for those who have not chosen. */
const DENSITIES = ['normal', 'compact', 'roomy'] as const;

export type Density = (typeof DENSITIES)[number];

export function currentDensity(): Density {
  return readPreference(NAME, DENSITIES);
}

export function chooseDensity(density: Density): void {
  writePreference(NAME, density);
  applyDensity();
}

export function applyDensity(): void {
  document.documentElement.dataset['density'] = currentDensity();
}
