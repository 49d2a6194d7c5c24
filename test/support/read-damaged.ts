/** A program that reads damaged files, given a seed and how many of each kind. Tests measure its memory. */

import { readDamaged } from './damaged-files.ts';

const [seed = 0, rounds = 0] = process.argv.slice(2).map(Number);
await readDamaged(seed, rounds);
