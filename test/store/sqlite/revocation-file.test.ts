/** The file for revoked keys is usable however its creation ended. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RevocationFile } from '../../../src/store/sqlite/revocation-file.ts';
import { sharedFolder } from '../../support/shared.ts';
import { TestClock } from '../../support/test-clock.ts';

const folder = sharedFolder();

test('a file that was not completed is completed', () => {
  const database = join(folder.path, 'stockbook.db');
  writeFileSync(database, '');
  writeFileSync(`${database}-revoked`, '');
  const file = new RevocationFile(database, new TestClock());
  file.prepare();
  const revocation = { key: 'k', at: '2026-01-01T00:00:00.000Z', actor: { name: 'root', origin: 'host' } };
  expect(file.add(revocation)).toBe(true);
  // Preparing it again leaves what it has.
  file.prepare();
  expect([...file.pending.values()]).toEqual([revocation]);
});
