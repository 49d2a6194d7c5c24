/**
 * The documents with their written parts, each between two comments:
 *
 *     <!-- npm run docs: operators -->
 *     …
 *     <!-- end -->
 */

import { readdirSync, readFileSync } from 'node:fs';
import { parts } from './parts.ts';

const DIRECTORY = new URL('../../docs/', import.meta.url);
const PART = /^<!-- npm run docs: (.*) -->\n[\s\S]*?^<!-- end -->$/gm;

export interface WrittenDocument {
  /** In the repository. */
  readonly path: string;
  /** As the file has it. */
  readonly before: string;
  readonly text: string;
}

export function writtenDocuments(): readonly WrittenDocument[] {
  const names = readdirSync(DIRECTORY).filter((name) => name.endsWith('.md'));
  const unused = new Set(Object.keys(parts));
  const documents = names.map((name): WrittenDocument => {
    const before = readFileSync(new URL(name, DIRECTORY), 'utf8');
    const text = before.replaceAll(PART, (_, part: string) => {
      const write = parts[part];
      if (write === undefined) throw new Error(`docs/${name} has a part that nothing writes: ${part}`);
      unused.delete(part);
      return `<!-- npm run docs: ${part} -->\n\n${write()}\n\n<!-- end -->`;
    });
    return { path: `docs/${name}`, before, text };
  });
  if (unused.size > 0) throw new Error(`no document has these parts: ${[...unused].join(', ')}`);
  return documents;
}
