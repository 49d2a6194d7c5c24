/** What was not built, in a checkout: the service works without it, and says so. It can still be built while the service runs. */

import type { Reply } from '../reply/reply.ts';
import { textPage, withCode } from './frame.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';

/** Undefined if a file does not exist. */
export async function ifBuilt<Built>(reading: Promise<Built>): Promise<Built | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** `others` is where to go instead. */
export function notBuilt(what: 'console' | 'guides', others: Html, headers: Page['headers'] = {}): Reply {
  const has = what === 'console' ? 'has' : 'have';
  const content = html`<h1>The ${what} ${has} not been built</h1>
<p>The API works without. In a checkout, ${withCode(`\`npm start\` builds the ${what}, and so does \`npm run build\``)}; then reload this page.</p>
<p>See also ${others}.</p>`;
  const { headers: all, body } = textPage({ title: `The ${what}`, content }, headers);
  const { etag: _, ...sent } = all;
  return { status: 503, headers: { ...sent, 'cache-control': 'no-store' }, body };
}
