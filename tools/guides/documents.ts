/**
 * The guides in `docs/`, and where they and their images are served.
 *
 *     docs/api.md             /docs/guides/api
 *     docs/performance.svg    /docs/guides/performance.svg
 */

import { readdirSync, readFileSync } from 'node:fs';
import { DOCS, guidePath, isImage } from '../../src/pages/guides.ts';

export interface Guide {
  /** In `docs/`: `api.md`. */
  readonly file: string;
  /** On the server: `/docs/guides/api`. */
  readonly path: string;
  readonly title: string;
  /** The first sentence. */
  readonly summary: string;
  /** Markdown. */
  readonly text: string;
}

/** In the order of their titles. */
export function readGuides(): readonly Guide[] {
  const files = readdirSync(DOCS).filter((file) => file.endsWith('.md'));
  return files.map(readGuide).toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

function readGuide(file: string): Guide {
  const text = readFileSync(new URL(file, DOCS), 'utf8');
  const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
  // The first paragraph, unless the guide begins with something else.
  const [, paragraph = ''] = /^# .+\n\n((?:\w|`|\[).+(?:\n.+)*)/.exec(text) ?? [];
  const [summary = ''] = /^.+?[.:](?=\s|$)/.exec(paragraph.replaceAll('\n', ' ')) ?? [];
  return { file, path: guidePath(file), title: plain(title), summary: plain(summary).replace(/:$/, '.'), text };
}

/** Titles and first sentences may have code and links, but nothing else. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

/** Where a link in a guide leads: to another guide or an image. Undefined if it is to a file that is not served, such as a systemd unit. */
export function resolveLink(guides: readonly Guide[], href: string): string | undefined {
  if (!URL.canParse(href, DOCS.href)) return undefined;
  const { href: target, hash } = new URL(href, DOCS);
  const file = target.startsWith(DOCS.href) ? target.slice(DOCS.href.length, target.length - hash.length) : '';
  const isServed = guides.some((guide) => guide.file === file) || (isImage(file) && readdirSync(DOCS).includes(file));
  return isServed ? guidePath(file) + hash : undefined;
}
