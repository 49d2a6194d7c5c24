/** Writes the parts of the docs that repeat a table of the code: `npm run docs`. */

import { writeFileSync } from 'node:fs';
import { writtenDocuments } from './documents.ts';

for (const { path, before, text } of writtenDocuments()) {
  if (text === before) continue;
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
  process.stdout.write(`Wrote ${path}.\n`);
}
