/** Builds the console before all tests, unless it has been built from its present sources, and renders the guides. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TOOLS = ['console/console.ts', 'guides/guides.ts'].map((tool) =>
  fileURLToPath(new URL(`../../tools/${tool}`, import.meta.url)),
);

export default async function setup(): Promise<void> {
  const builds = TOOLS.map((tool) => promisify(execFile)(process.execPath, [tool]));
  await Promise.all(builds).catch(({ stderr }) => {
    throw new Error(`The console or the guides cannot be built.\n${stderr}`);
  });
}
