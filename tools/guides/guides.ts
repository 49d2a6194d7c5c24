/**
 * Renders the guides in `docs/` to `dist/guides.json`, by path: `npm run build`, and before `npm start`.
 *
 * Without the development dependencies, there is nothing to render them with. The service works without them, and says so.
 */

import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { BUILT, GUIDES_PATH } from '../../src/pages/guides.ts';
import { readGuides } from './documents.ts';

async function main(): Promise<number> {
  try {
    const { guideListPage, guidePage } = await import('./guide-pages.ts');
    const guides = readGuides();
    const pages = guides.map((guide) => [guide.path, guidePage(guides, guide)]);
    replace(JSON.stringify(Object.fromEntries([[GUIDES_PATH, guideListPage(guides)], ...pages])));
    return 0;
  } catch (error) {
    if (!isMarkedMissing(error)) throw error;
    process.stderr.write(
      'The guides cannot be rendered without the development dependencies: run "npm ci" without --omit=dev\n',
    );
    return process.argv.includes('--optional') ? 0 : 1;
  }
}

/** In one step: a service may read it at the same time. */
function replace(text: string): void {
  const temporary = new URL(`.guides-${process.pid}.json`, BUILT);
  mkdirSync(new URL('.', BUILT), { recursive: true });
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, BUILT);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isMarkedMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'marked'")
  );
}

process.exitCode = await main();
