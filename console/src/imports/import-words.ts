/** What the list says about an import, in a few words. */

import type { Import } from '@stockbook/client';
import { countOf } from '../format/values.ts';
import { countWords } from '../import/import-counts.tsx';

/** Where the rows came from, if that is known: a request does not name its file. */
export function originOf({ file, source }: Import): string {
  return file ?? source ?? '–';
}

/** What it did, what it does, or why it failed. */
export function outcomeOf(one: Import): string {
  switch (one.state) {
    case 'running':
      return `${countOf(one.rows, 'row', 'rows')} so far`;
    case 'done':
      return countWords(one.result);
    case 'failed':
      return one.problem.detail;
  }
}
