/** Takes the pictures of the console that README.md and docs/console.md show, of the real page with the demo: `npm run screenshots`. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContextOptions, devices, type Page } from 'playwright-core';
import { launchBrowser, signIn } from '../support/browser.ts';
import { start } from '../support/program.ts';

const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

interface Picture {
  /** Of the file in docs/. */
  readonly name: string;
  readonly path: string;
  readonly options: BrowserContextOptions;
  /** What a person does before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const WIDE: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };

const PICTURES: readonly Picture[] = [
  {
    name: 'console-light',
    path: '/products?q=oak+chair&filter=list_price>=50',
    options: { ...WIDE, colorScheme: 'light' },
  },
  {
    name: 'console-dark',
    path: '/products?filter=active=true%26(name*oak|list_price>=1000)&sort=-list_price,name&record=1064',
    options: { ...WIDE, colorScheme: 'dark' },
  },
  {
    name: 'console-phone',
    path: '/products?q=chair',
    options: { ...devices['iPhone 15'], colorScheme: 'light' },
  },
];

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'stockbook-screenshots-'));
  const service = start(['serve', '--demo', '--port', '0'], { folder });
  const browser = await launchBrowser();
  try {
    const { origin, key } = await demo(service);
    for (const { name, path, options, prepare } of PICTURES) {
      const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', ...options });
      await signIn(context, origin, key);
      const page = await context.newPage();
      await page.goto(origin + path, { waitUntil: 'networkidle' });
      await prepare?.(page);
      await page.screenshot({ path: join(DOCS, `${name}.png`), animations: 'disabled' });
      await context.close();
    }
  } finally {
    await browser.close();
    service.child.kill();
    await service.finished;
    rmSync(folder, { recursive: true });
  }
}

/** The service prints it when it listens. */
async function demo(service: ReturnType<typeof start>): Promise<{ readonly origin: string; readonly key: string }> {
  for (;;) {
    const { stdout } = service.output();
    const [, origin] = /(http:\S+)\/#code=/.exec(stdout) ?? [];
    const [key] = /sbk_\w+/.exec(stdout) ?? [];
    if (origin !== undefined && key !== undefined) return { origin, key };
    await once(service.child.stdout, 'data');
  }
}

await main();
