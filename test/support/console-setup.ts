/** Builds the console before all tests, unless it has been built from its present sources. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TOOL = fileURLToPath(new URL('../../tools/console/console.ts', import.meta.url));

export default async function setup(): Promise<void> {
  await promisify(execFile)(process.execPath, [TOOL]).catch(({ stderr }) => {
    throw new Error(`The console cannot be built.\n${stderr}`);
  });
}
