/**
 * `npm run bench:console`: the console in a real browser, on a million products. For each thing that people do, how long it takes
 * until everything is shown, and the longest task that held up the page meanwhile.
 */

import { parseArgs } from 'node:util';
import type { Browser, Page, Request } from 'playwright-core';
import { launchBrowser, signIn } from '../test/support/browser.ts';
import { stockbookDatabase } from './databases.ts';
import { lockData, openEngine } from './engines.ts';
import { median } from './report.ts';
import { PROGRAM, serve } from './stockbook.ts';

interface Action {
  readonly name: string;
  readonly act: (page: Page) => Promise<unknown>;
}

/** In this order, in one window, as a person would. */
const ACTIONS: readonly Action[] = [
  { name: 'load the page', act: (page) => page.goto('/products') },
  { name: 'next page', act: (page) => page.getByRole('button', { name: 'Next page' }).click() },
  { name: 'page 5,000', act: (page) => submit(page, 'Page', '5000') },
  { name: 'filter two ranges', act: (page) => filter(page, 'list_price>300&qty_available>400') },
  { name: 'filter a text', act: (page) => filter(page, 'name*chair') },
  {
    name: 'sort by price',
    act: (page) =>
      page
        .getByRole('columnheader', { name: /^Sales price/ })
        .getByRole('button')
        .first()
        .click(),
  },
  { name: 'no filter', act: (page) => filter(page, '') },
  { name: 'search', act: (page) => submit(page, 'Search products', 'oak chair') },
  { name: 'no search', act: (page) => submit(page, 'Search products', '') },
  { name: '1,000 rows', act: (page) => page.getByLabel('Rows per page').selectOption('1000') },
  {
    name: 'scroll to the end',
    act: (page) => page.getByRole('grid').evaluate('(grid) => grid.closest(".record-grid").scrollTo(0, 1e9)'),
  },
  { name: 'the response', act: (page) => page.getByRole('tab', { name: 'Response' }).click() },
];

async function submit(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press('Enter');
}

async function filter(page: Page, text: string): Promise<void> {
  const button = page.getByRole('button', { name: 'Filter as text' });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  const field = page.getByRole('textbox', { name: 'Filter as text' });
  await field.fill(text);
  await field.press('Enter');
}

interface Sample {
  /** Until nothing is requested any more, and everything is drawn. */
  readonly milliseconds: number;
  /** The longest task of the page: how long it took, and how long it had the processor. */
  readonly longest: number;
  readonly longestCpu: number;
}

/** What Chromium records of a task. Times are in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

async function measure(browser: Browser, page: Page, { act }: Action): Promise<Sample> {
  const idle = untilIdle(page);
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  const started = performance.now();
  await act(page);
  await idle();
  const milliseconds = performance.now() - started;
  const { traceEvents: events }: { traceEvents: TraceEvent[] } = JSON.parse(String(await browser.stopTracing()));
  const threads = new Set(
    events.filter(({ args }) => args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`));
  const longest = (durations: readonly (number | undefined)[]) =>
    Math.max(0, ...durations.map((duration = 0) => duration)) / 1_000;
  return {
    milliseconds,
    longest: longest(tasks.map(({ dur }) => dur)),
    longestCpu: longest(tasks.map(({ tdur }) => tdur)),
  };
}

/** Resolves when all requests since now are finished, and what they brought has been drawn. */
function untilIdle(page: Page): () => Promise<void> {
  // Those that end may have begun before.
  const underWay = new Set<Request>();
  const begin = (request: Request) => underWay.add(request);
  const end = (request: Request) => underWay.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  const frames = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return async () => {
    // Typing is applied after a moment, and one request may lead to another.
    for (let quiet = 0; quiet < 3; quiet = underWay.size === 0 ? quiet + 1 : 0) await frames();
    page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  };
}

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
  },
});
lockData();
const engine = await openEngine(values.engine === 'postgres' ? 'postgres' : 'sqlite');
const { url, keys } = await stockbookDatabase(engine, PROGRAM, Number(values.rows));
const server = await serve(PROGRAM, url);
const browser = await launchBrowser();
const samples = new Map<string, Sample[]>(ACTIONS.map(({ name }) => [name, []]));
// Round 0 is a warm-up: indexes in memory are built.
for (let round = 0; round <= Number(values.rounds); round += 1) {
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${server.port}`,
    viewport: { width: 1440, height: 900 },
  });
  await signIn(context, `http://127.0.0.1:${server.port}`, keys[0] ?? '');
  const page = await context.newPage();
  for (const action of ACTIONS) {
    const sample = await measure(browser, page, action);
    if (round > 0) samples.get(action.name)?.push(sample);
  }
  await context.close();
}
const rounded = (numbers: readonly number[]) => median(numbers).toFixed(0);
process.stdout.write(
  '| action | ms until shown | longest task, ms | of that on the processor, ms | at most |\n|---|---|---|---|---|\n',
);
for (const [name, all] of samples)
  process.stdout.write(
    `| ${name} | ${rounded(all.map(({ milliseconds }) => milliseconds))} | ${rounded(all.map(({ longest }) => longest))} | ${rounded(all.map(({ longestCpu }) => longestCpu))} | ${Math.max(...all.map(({ longestCpu }) => longestCpu)).toFixed(0)} |\n`,
  );
await browser.close();
await server.stop();
await engine.close();
