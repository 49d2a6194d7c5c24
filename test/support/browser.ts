/** A real browser. */

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

export async function launchBrowser(): Promise<Browser> {
  const { path, libraries } = await findChromium();
  return chromium.launch({
    executablePath: path,
    // Chromium's sandbox does not work for root, nor in most containers. The pages are our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...process.env, ...(libraries !== undefined && { LD_LIBRARY_PATH: libraries }) },
  });
}

/** Signs in to the console of this origin: the cookie, and what the page stores with it. */
export async function signIn(context: BrowserContext, origin: string, key: string): Promise<void> {
  const reply = await context.request.post(`${origin}/api/v1/session`, {
    headers: { authorization: `Bearer ${key}`, 'stockbook-console': 'http' },
    data: { remember: false },
  });
  if (reply.status() !== 204) throw new Error(`signing in failed: ${await reply.text()}`);
  // Only once: a reload finds what the page itself has stored.
  await context.addInitScript(`
    if (!localStorage.getItem('visited')) localStorage.setItem('stockbook-session', 'unknown');
    localStorage.setItem('visited', 'yes');
  `);
}

export interface TestBrowser {
  /** A page of this origin. It is empty, whatever the server there would send. */
  open(origin: string): Promise<TestPage>;
  close(): Promise<void>;
}

export interface TestPage
  extends Pick<Page, 'goto' | 'fill' | 'selectOption' | 'click' | 'textContent' | 'locator' | 'close'> {
  /** Runs a module to its end, and returns what it has printed. Rejects if it throws. */
  run(module: string): Promise<readonly string[]>;
}

export async function startBrowser(): Promise<TestBrowser> {
  const browser = await launchBrowser();
  return { open: (origin) => openPage(browser, origin), close: () => browser.close() };
}

async function openPage(browser: Browser, origin: string): Promise<TestPage> {
  const page = await browser.newPage();
  await page.route(`${origin}/empty`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${origin}/empty`);
  return Object.assign(page, {
    async run(module: string): Promise<readonly string[]> {
      const lines: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'log') lines.push(message.text());
      });
      // As text: vite would rewrite the import of a function.
      const source = `new Blob([${JSON.stringify(module)}], { type: 'text/javascript' })`;
      await page.evaluate(`import(URL.createObjectURL(${source})).then(() => undefined)`);
      return lines;
    },
  });
}
