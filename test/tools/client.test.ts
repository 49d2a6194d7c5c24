/** `npm run client`: the files that it writes are those in the repository. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generatedFiles } from '../../tools/client/generate.ts';

test.each(generatedFiles())('$path is up to date; otherwise run "npm run client"', ({ path, text }) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(text);
});
