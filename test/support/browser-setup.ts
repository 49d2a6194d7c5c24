/** Finds a Chromium before the tests start: an installed one, the one from npm on Linux x64, or Debian's. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import packaged from '@sparticuz/chromium';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: string;
  }
}

/** What others call it. */
const INSTALLED = ['chromium', 'chromium-browser', 'google-chrome'];

export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', await findChromium());
}

async function findChromium(): Promise<string> {
  const installed = findInstalled();
  if (installed !== undefined) return installed;
  if (process.platform === 'linux' && process.arch === 'x64') {
    const path = await packaged.executablePath();
    if (works(path)) return path;
  }
  // npm has none for other machines, nor the libraries that it needs.
  const install = 'apt-get update && apt-get install --yes --no-install-recommends chromium';
  spawnSync('sh', ['-c', install], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  // Without it, the tests in a browser fail and say so.
  return findInstalled() ?? '/usr/bin/chromium';
}

function findInstalled(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => INSTALLED.map((name) => join(folder, name))).find(works);
}

function works(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['--version']).status === 0;
}
