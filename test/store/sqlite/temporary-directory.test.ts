/** Where SQLite makes its temporary files. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/store/sqlite/temporary-directory.ts';
import { sharedFolder } from '../../support/shared.ts';

const folder = sharedFolder();

test.skipIf(process.platform === 'win32')(
  'is the first of its own variable, TMPDIR and the usual ones that exists',
  () => {
    const [own, general, file] = ['own', 'general', 'file'].map((name) => join(folder.path, name));
    mkdirSync(own ?? '');
    mkdirSync(general ?? '');
    writeFileSync(file ?? '', '');
    expect(temporaryDirectory({ SQLITE_TMPDIR: own, TMPDIR: general })).toBe(own);
    expect(temporaryDirectory({ SQLITE_TMPDIR: file, TMPDIR: general })).toBe(general);
    expect(temporaryDirectory({ TMPDIR: join(folder.path, 'missing') })).toMatch(/^\/(var\/)?tmp$/);
  },
);
