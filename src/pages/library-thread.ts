/** The thread that makes the library. */

import { runThread } from '../threads/run-thread.ts';
import { documentPage, guideListPage } from './document-pages.ts';
import { readDocuments } from './documents.ts';
import type { Library } from './library.ts';
import { newPage } from './page.ts';
import { buildIndex } from './search-index.ts';

function make(): Library {
  const documents = readDocuments();
  const pages = new Map([
    ['/docs/guides', guideListPage(documents)],
    ...[...documents.guides, ...documents.decisions].map(
      (document) => [document.path, documentPage(documents, document)] as const,
    ),
    ...documents.images.map(({ path, type, bytes }) => [path, newPage(type, [bytes])] as const),
  ]);
  return { pages, index: buildIndex(documents) };
}

runThread<'make', Library, unknown>(
  () => ({ execute: make, close: () => undefined }),
  (error) => error,
);
