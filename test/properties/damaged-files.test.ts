/**
 * However a file to import is damaged, it is read, or refused with a message about the file.
 *
 * A failure names the seed. `STOCKBOOK_TEST_SEED` repeats it.
 */

import { inject, test } from 'vitest';
import { readDamaged } from '../support/damaged-files.ts';
import { DEADLINE } from '../support/deadline.ts';
import { rounds } from '../support/rounds.ts';

test('damaged files', { timeout: rounds(DEADLINE, 3_600_000) }, async () => {
  await readDamaged(inject('seed'), rounds(150, 100_000));
});
