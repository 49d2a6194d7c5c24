/** The console in a real browser, signed in. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Guards against hangs: the machine may be busy. In milliseconds. */
const TIMEOUT = Number(process.env['T'] ?? 120_000);

export interface ConsolePage {
  readonly page: Page;
  /** What went wrong, including violations of the Content-Security-Policy. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

/** Opens a path with the key of a tab that has been signed in before. */
export async function openConsole(
  browser: Browser,
  origin: string,
  key: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'UTC',
    ...options,
  });
  await context.addInitScript((stored) => sessionStorage.setItem('stockbook-key', stored), key);
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  await page.goto(origin + path);
  return { page, errors, close: () => context.close() };
}
