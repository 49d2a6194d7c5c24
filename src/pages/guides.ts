/**
 * The guides: `docs/`, rendered by `tools/guides/` to one file, and their images. A request can only choose from a table of them.
 * In a checkout, they may not have been rendered.
 */

import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { PACKAGE } from './package.ts';
import { HTML, kept, newPage, type Page } from './page.ts';

export const DOCS = new URL('docs/', PACKAGE);

/** The pages in HTML, by path. */
export const BUILT = new URL('dist/guides.json', PACKAGE);

export const GUIDES_PATH = '/docs/guides';

/** By file extension. */
const IMAGE_TYPES: Readonly<Record<string, string>> = { '.svg': 'image/svg+xml', '.png': 'image/png' };

export function isImage(file: string): boolean {
  return extname(file) in IMAGE_TYPES;
}

/** Where a file in `docs/` is served. */
export function guidePath(file: string): string {
  return `${GUIDES_PATH}/${file.replace(/\.md$/, '')}`;
}

/** By path. Throws an `ENOENT` if they have not been rendered. */
export async function readGuidePages(built = BUILT): Promise<ReadonlyMap<string, Page>> {
  const pages: Readonly<Record<string, string>> = JSON.parse(await readFile(built, 'utf8'));
  const images = (await readdir(DOCS)).filter(isImage).map(async (file) => {
    const image = newPage(IMAGE_TYPES[extname(file)] ?? '', [await readFile(new URL(file, DOCS))]);
    // A PNG is compressed already.
    return [guidePath(file), file.endsWith('.png') ? image : kept(image)] as const;
  });
  return new Map([
    ...Object.entries(pages).map(([path, text]) => [path, kept(newPage(HTML, text))] as const),
    ...(await Promise.all(images)),
  ]);
}
