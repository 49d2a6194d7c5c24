/** Checks a page for accessibility with axe: WCAG 2.2, levels A and AA. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Rules that differ from the default: React Aria's components do not follow the first, for reasons. */
const RULES = {
  // A dialog is a landmark of its own; buttons that only screen readers find stand beside it.
  region: { enabled: false },
  // Experimental: the visible label of a button is part of its accessible name, so that speech control can press it.
  'label-content-name-mismatch': { enabled: true },
};

/** In light and dark. One line for each violation: the rule, and the first element. */
export async function violations(page: Page): Promise<readonly string[]> {
  // As text: the Content-Security-Policy of the page does not apply to what the test evaluates.
  await page.evaluate(AXE);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const light = await run(page, TAGS);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  // Only colors depend on it.
  return [...light, ...(await run(page, ['color-contrast']))];
}

async function run(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  // Colors are wrong while they change.
  await page.evaluate('Promise.allSettled(document.getAnimations().map((animation) => animation.finished))');
  // Preloading fetches style sheets again, for one experimental rule, and fails while a page is offline.
  return page.evaluate<string[]>(`
    axe.run(document, { preload: false, runOnly: ${JSON.stringify(rules)}, rules: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) =>
        id + ': ' + html.slice(0, 300) + ' ' + failureSummary)))
  `);
}
