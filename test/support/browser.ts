/** A real Chromium. */

import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

export function launchBrowser(): Promise<Browser> {
  // Containers that run as root have no sandbox. Tests only open pages of their own.
  return chromium.launch({ executablePath: inject('chromium'), args: ['--no-sandbox'] });
}
