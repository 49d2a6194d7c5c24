/** Our stylesheets, script and icon. */

import { readFile } from 'node:fs/promises';
import { PACKAGE } from './package.ts';
import { kept, newPage, type Page } from './page.ts';

/** Names and media types. */
const ASSETS = {
  'frame.css': 'text/css; charset=utf-8',
  'docs.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** By path. */
export async function readAssets(): Promise<ReadonlyMap<string, Page>> {
  const pages = Object.entries(ASSETS).map(async ([name, type]) => {
    const text = await readFile(new URL(`assets/${name}`, PACKAGE), 'utf8');
    return [`/docs/assets/${name}`, kept(newPage(type, text))] as const;
  });
  return new Map(await Promise.all(pages));
}
