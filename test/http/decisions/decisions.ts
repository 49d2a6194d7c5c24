/**
 * Stockbook's decisions on points that the contract leaves open, each with requests that demonstrate it. `npm run docs`
 * writes what they say to `docs/api.md`.
 */

import { access } from './access.ts';
import type { Decision } from './decision.ts';
import { filters } from './filters.ts';
import { lists } from './lists.ts';
import { records } from './records.ts';

/** In this order: later ones find what earlier ones have created. */
export const decisions: readonly Decision[] = [...filters, ...lists, ...records, ...access];
