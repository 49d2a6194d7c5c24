/** Reads the tables and code fences of the docs. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Document {
  readonly path: string;
  readonly text: string;
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(ROOT + path, 'utf8') };
}

/** Its examples change records, and follow each other. */
export const WRITING = 'docs/writing.md';

/** All documents, including the decision records. */
export const documents: readonly Document[] = [
  ...[
    ...'README.md ARCHITECTURE.md CONTRIBUTING.md'.split(' '),
    ...'SECURITY.md CHANGELOG.md examples/README.md ops/README.md'.split(' '),
  ],
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map(readDocument);

/** The cells of the first table below a heading, without its header. */
export function tableBelow({ path, text }: Document, heading: string): readonly (readonly string[])[] {
  const section = text.split(/^(?=#{1,4} )/m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${path} has no heading ${heading}`);
  const lines = section.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(first).slice(
    0,
    lines.slice(first).findIndex((line) => !line.startsWith('|')),
  );
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

export interface Fence {
  readonly path: string;
  /** The info string after the backticks: `sh`, `json`, `filter product`. */
  readonly kind: string;
  readonly content: string;
}

export function fencesOf({ path, text }: Document): readonly Fence[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, kind = '', content = '']) => ({
    path,
    kind,
    content: content.trimEnd(),
  }));
}

/** The content of a cell that is a code span. */
export function inCode(cell: string): string {
  return /^`(.*)`$/.exec(cell)?.[1] ?? cell;
}
