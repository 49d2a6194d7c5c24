/** The console in a real browser, as served by the real service. */

import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launchBrowser, signIn } from './browser.ts';
import { LONGEST_WAIT } from './deadline.ts';
import { delayPages } from './delays.ts';
import type { TestEngine } from './engines.ts';
import { type ServiceOptions, startService, type TestService } from './service.ts';

export interface TestConsole {
  readonly service: TestService;
  readonly origin: string;
  /** A window of its own. It is signed in with the key of acme, unless `key` says otherwise; null is for nobody. */
  open(path: string, options?: VisitOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  readonly key?: string | null;
}

export interface Visit {
  readonly page: Page;
  /** The URLs that were requested of other hosts. */
  readonly foreign: readonly string[];
  /** What the page has logged as an error or a warning, including violations of the Content-Security-Policy. */
  readonly errors: readonly string[];
  close(): Promise<void>;
}

export async function startConsole(engine: TestEngine, options: ServiceOptions = {}): Promise<TestConsole> {
  const service = await startService(engine, options);
  const browser = await launchBrowser();
  const origin = `http://127.0.0.1:${service.port}`;
  return {
    service,
    origin,
    open: (path, { key = service.key, ...rest } = {}) => visit(browser, origin, path, key, rest),
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

async function visit(
  browser: Browser,
  origin: string,
  path: string,
  key: string | null,
  options: BrowserContextOptions,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  await delayPages(context);
  if (key !== null) await signIn(context, origin, key);
  const page = await context.newPage();
  page.setDefaultTimeout(LONGEST_WAIT);
  const foreign: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(`${origin}/`)) foreign.push(request.url());
  });
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  await page.goto(origin + path);
  return { page, foreign, errors, close: () => context.close() };
}

/** The line with the filter's text, which is opened first. */
export async function filterText(page: Page): Promise<Locator> {
  const button = page.getByRole('button', { name: 'Filter as text' });
  await button.waitFor();
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  return page.getByRole('textbox', { name: 'Filter as text' });
}

/** More than any view has to stop at. */
const MAX_PRESSES = 80;

const FOCUSED_NAME = `(({ activeElement: focused }) =>
  [focused?.getAttribute('aria-label'), focused?.textContent, focused?.labels?.[0]?.textContent].join(' ')
)(document)`;

/** Presses Tab until something with this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    await page.keyboard.press('Tab');
    if (name.test(await page.evaluate<string>(FOCUSED_NAME))) return;
  }
  throw new Error(`${name} cannot be reached with Tab`);
}
