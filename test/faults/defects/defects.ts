/** All defects that are planted. Each way to test has a table of those that it finds. */

import { crashDefects } from './crashes.ts';
import type { Defect } from './defect.ts';
import { historyDefects } from './histories.ts';
import { simulatorDefects } from './simulator.ts';

export const defects: readonly Defect[] = [...crashDefects, ...historyDefects, ...simulatorDefects];
