/** All documents as pages, and what can be searched in them. A thread makes both when the first is requested, which takes a while. */

import { siblingModule, Thread } from '../threads/thread.ts';
import type { Page } from './page.ts';
import type { SearchIndex } from './search.ts';

export interface Library {
  /** By path. */
  readonly pages: ReadonlyMap<string, Page>;
  readonly index: SearchIndex;
}

export async function makeLibrary(): Promise<Library> {
  const thread = new Thread<'make', Library, unknown>({
    module: siblingModule(import.meta.url, 'library-thread'),
    errorOf: (failure) => failure,
  });
  try {
    return await thread.call('make');
  } finally {
    await thread.close();
  }
}
