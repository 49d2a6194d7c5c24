/**
 * The documents in `docs/` and where they are served. The table is made of the files in the package, and a request can
 * only choose from it.
 *
 *     docs/api.md                       /docs/guides/api
 *     docs/decisions/README.md          /docs/decisions
 *     docs/decisions/0004-the-ledger.md /docs/decisions/0004-the-ledger
 *     docs/performance.svg              /docs/guides/performance.svg
 *
 * Files are read synchronously: this runs in a thread.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { PACKAGE } from './package.ts';

export interface Document {
  readonly kind: 'guide' | 'decision';
  /** In the package: `docs/api.md`. */
  readonly file: string;
  /** On the server: `/docs/guides/api`. */
  readonly path: string;
  readonly title: string;
  /** The first sentence. */
  readonly summary: string;
  /** Markdown. */
  readonly text: string;
}

export interface Image {
  readonly path: string;
  /** The media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** By file extension. */
const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
]);

export interface Documents {
  /** In the order of their titles. */
  readonly guides: readonly Document[];
  /** In the order of their numbers, after the list of all. */
  readonly decisions: readonly Document[];
  readonly images: readonly Image[];
}

export function readDocuments(): Documents {
  const files = filesIn('docs/');
  const guides = files.filter(isMarkdown).map((file) => readDocument('guide', file));
  const decisions = filesIn('docs/decisions/')
    .filter(isMarkdown)
    .map((file) => readDocument('decision', file));
  return {
    guides: guides.toSorted((a, b) => (a.title < b.title ? -1 : 1)),
    decisions: decisions.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    images: files.flatMap(readImage),
  };
}

function filesIn(directory: string): readonly string[] {
  const entries = readdirSync(new URL(directory, PACKAGE), { withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => directory + name);
}

function read(file: string): string {
  return readFileSync(new URL(file, PACKAGE), 'utf8');
}

function isMarkdown(file: string): boolean {
  return file.endsWith('.md');
}

function readImage(file: string): readonly Image[] {
  const type = IMAGE_TYPES.get(extname(file));
  return type === undefined ? [] : [{ path: pathOf(file), type, bytes: readFileSync(new URL(file, PACKAGE)) }];
}

function readDocument(kind: Document['kind'], file: string): Document {
  const text = read(file);
  const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
  // The first paragraph, unless the document begins with something else.
  const [, paragraph = ''] = /^# .+\n\n((?:\w|`|\[).+(?:\n.+)*)/.exec(text) ?? [];
  const [summary = ''] = /^.+?[.:](?=\s|$)/.exec(paragraph.replaceAll('\n', ' ')) ?? [];
  return { kind, file, path: pathOf(file), title: plain(title), summary: plain(summary).replace(/:$/, '.'), text };
}

/** Titles and first sentences may have code and links, but nothing else. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

function pathOf(file: string): string {
  const name = file.slice('docs/'.length).replace(/\.md$/, '');
  if (name === 'decisions/README') return '/docs/decisions';
  return name.startsWith('decisions/') ? `/docs/${name}` : `/docs/guides/${name}`;
}

/** Where a link in a document leads: to another document or an image. Undefined if that is not among them. */
export function resolveLink(
  { guides, decisions, images }: Documents,
  from: Document,
  href: string,
): string | undefined {
  const base = new URL(from.file, 'file:///');
  if (!URL.canParse(href, base.href)) return undefined;
  const { pathname, hash, protocol } = new URL(href, base);
  if (protocol !== 'file:' || !/^\/docs\/.+\.(?:md|svg|png)$/.test(pathname)) return undefined;
  const path = pathOf(pathname.slice(1));
  return [...guides, ...decisions, ...images].some((served) => served.path === path) ? path + hash : undefined;
}
