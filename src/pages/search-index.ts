/** What can be searched: the sections of all documents, and the errors. */

import { PROBLEMS_PATH } from '../problem/page.ts';
import { type ProblemKind, registry } from '../problem/registry.ts';
import type { Documents } from './documents.ts';
import { sectionsOf } from './markdown.ts';
import type { Entry, SearchIndex } from './search.ts';

export function buildIndex({ guides, decisions }: Documents): SearchIndex {
  const problems = Object.entries<ProblemKind>(registry).map(([code, { status, title, hint }]) => {
    const text = `${status} ${title}. ${hint.replaceAll('`', '')}`;
    return newEntry(`${PROBLEMS_PATH}/${code}`, 'Errors', `${code}: ${title}`, text, PREFERRED);
  });
  const documents = [...guides, ...decisions];
  const sections = documents.flatMap(({ kind, path, title, text }) =>
    sectionsOf(text).map(({ heading, text: content }) => {
      const target = heading.depth === 1 ? path : `${path}#${heading.anchor}`;
      return newEntry(target, title, heading.text, content, kind === 'guide' ? PREFERRED : 0);
    }),
  );
  const words = new Set([...Object.keys(registry), ...documents.flatMap(({ text }) => wordsOf(text))]);
  return { entries: [...problems, ...sections], words: [...words] };
}

/** What integrators look for is rarely a decision. */
const PREFERRED = 2;

function newEntry(path: string, document: string, heading: string, text: string, bonus: number): Entry {
  const searched = { document: document.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() };
  return { path, document, heading, text, searched, bonus };
}

/** Words that can be misspelled. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}[\p{L}\p{N}_-]{2,}/gu) ?? [];
}
