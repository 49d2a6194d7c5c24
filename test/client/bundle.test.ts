/** The client as a web page loads it: bundled and minified by the build of the page, and compressed. */

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundle, CLIENT } from '../support/bundle.ts';

test('has less than 10 KB, and needs nothing but a browser', async () => {
  const code = await bundle(CLIENT);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(10_000);
  expect(code).not.toMatch(/\bnode:|\brequire\(|\bprocess\b|\bBuffer\b/);
});
