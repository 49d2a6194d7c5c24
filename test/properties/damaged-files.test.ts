/**
 * However a file to import is damaged, it is read, or refused with a message about the file.
 *
 * A failure names the seed. `STOCKBOOK_TEST_SEED` repeats it.
 */

import { randomInt } from 'node:crypto';
import { test } from 'vitest';
import { readDamaged } from '../support/damaged-files.ts';
import { rounds } from '../support/rounds.ts';

const SEED = Number(process.env['STOCKBOOK_TEST_SEED'] ?? randomInt(2 ** 31));

test('damaged files', { timeout: rounds(120_000, 3_600_000) }, async () => {
  await readDamaged(SEED, rounds(150, 100_000));
});
