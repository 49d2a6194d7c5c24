/** How many records an import creates, changes and removes, and how many rows it rejects. */

import type { ImportResult } from '@stockbook/client';
import { formatCount } from '../format/values.ts';
import './import-counts.css';

export type Counts = Pick<ImportResult, 'created' | 'updated' | 'unchanged' | 'removed' | 'skipped'>;

const TITLES: readonly { readonly name: keyof Counts; readonly title: string }[] = [
  { name: 'created', title: 'Created' },
  { name: 'updated', title: 'Updated' },
  { name: 'unchanged', title: 'Unchanged' },
  { name: 'removed', title: 'Removed' },
  { name: 'skipped', title: 'Rejected' },
];

export interface ImportCountsProps {
  /** Undefined if they are not known. */
  readonly counts: Counts | undefined;
}

export function ImportCounts({ counts }: ImportCountsProps) {
  return (
    <dl className="import-counts">
      {TITLES.map(({ name, title }) => (
        <div className="import-count" data-kind={name} data-none={!counts?.[name] || undefined} key={name}>
          <dt>{title}</dt>
          <dd>{counts === undefined ? '–' : formatCount(counts[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many rows are loaded. Records that are not in the file are removed without a row. */
export function loadedRows({ created, updated, unchanged, removed }: Counts, isReplacing: boolean): number {
  return created + updated + unchanged + (isReplacing ? 0 : removed);
}

export function isChange({ created, updated, removed }: Counts): boolean {
  return created + updated + removed > 0;
}

/** `3 created, 1 removed`; what is zero is left out. */
export function countWords(counts: Counts): string {
  const words = TITLES.filter(({ name }) => counts[name] > 0).map(
    ({ name, title }) => `${formatCount(counts[name])} ${title.toLowerCase()}`,
  );
  return words.length === 0 ? 'nothing' : words.join(', ');
}
