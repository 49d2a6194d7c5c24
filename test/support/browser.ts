/** A real Chromium: an installed one, or, on Linux x64, the one from npm. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import packaged from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

export async function launchBrowser(): Promise<Browser> {
  // Containers that run as root have no sandbox. Tests only open pages of their own.
  return chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] });
}

async function findChromium(): Promise<string> {
  const installed = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((directory) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(directory, name)))
    .find(existsSync);
  if (installed !== undefined) return installed;
  if (process.platform === 'linux' && process.arch === 'x64') return packaged.executablePath();
  throw new Error('Tests in a browser need Chromium. Install it, for example with "apt install chromium".');
}
