/**
 * Writes what the client has to know of the catalog and of the registry of errors: `npm run client`.
 *
 * The client imports nothing from the server, so its types are files of their own, in src/client/generated/.
 */

import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generate.ts';

for (const { path, text } of generatedFiles()) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
  process.stdout.write(`Wrote ${path}.\n`);
}
