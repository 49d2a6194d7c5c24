/** Shows what was written at once, wherever the records of a resource are shown, and reads again what depends on it. */

import type { QueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { withoutRecord, withRecord } from './changed-page.ts';
import { readAgain } from './read-again.ts';
import type { TaggedRecord } from './records.ts';
import type { ListedPage } from './use-list.ts';
import { recordKey } from './use-record.ts';

/** Edits of one record wait for each other, so that nobody is in conflict with themselves. */
export function editScope(resource: Resource, id: number): { readonly id: string } {
  return { id: `${resource.name} ${id}` };
}

/** The record as it is shown now. */
export function shownRecord(client: QueryClient, resource: Resource, id: number): TaggedRecord | undefined {
  return client.getQueryData<TaggedRecord | null>(recordKey(resource, id)) ?? undefined;
}

export function showRecord(client: QueryClient, resource: Resource, record: TaggedRecord): void {
  const { data } = record;
  show(client, resource, data.id, record, (page) => withRecord(page, data));
}

export function showRemoval(client: QueryClient, resource: Resource, id: number): void {
  show(client, resource, id, null, (page) => withoutRecord(page, id));
}

function show(
  client: QueryClient,
  resource: Resource,
  id: number,
  record: TaggedRecord | null,
  change: (page: ListedPage) => ListedPage,
): void {
  client.setQueryData(recordKey(resource, id), record);
  // Pages keep their tags, which the service has replaced: so they are read again in any case.
  client.setQueriesData<ListedPage>(
    // What follows the changes of a page has no records.
    { queryKey: [resource.name, 'list'], predicate: ({ queryKey }) => queryKey.at(-1) !== 'live' },
    (page) => page && change(page),
  );
  void readAgain(client, resource, ({ queryKey }) => queryKey[1] !== 'record' || queryKey[2] !== id);
}
