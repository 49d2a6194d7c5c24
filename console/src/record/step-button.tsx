/** Opens the record before or after the one that is open, on the page beside this one if need be. */

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type ListedPage, listOptions, useList } from '../data/use-list.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';

export interface StepButtonProps {
  /** The record that is open. */
  readonly id: number;
  readonly to: 'previous' | 'next';
}

export function StepButton({ id, to }: StepButtonProps) {
  const { adjust } = useView();
  const { connection } = useSession();
  const queryClient = useQueryClient();
  const { data: page } = useList();
  const neighbor = page === undefined ? undefined : neighborOf(page, id, to);
  const isLoading = useRef(false);

  /** Beyond the edge of this page. */
  const beside = neighbor === undefined || 'id' in neighbor ? undefined : neighbor.page;
  // So that nobody waits for it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for a page
  useEffect(() => {
    if (page !== undefined && beside !== undefined)
      void queryClient.prefetchQuery(listOptions(connection, { ...page.of, page: beside }));
  }, [beside]);

  const cross = async (from: ListedPage, number: number) => {
    if (isLoading.current) return;
    isLoading.current = true;
    const { href } = location;
    const options = listOptions(connection, { ...from.of, page: number });
    // If it cannot be loaded, the table says why.
    const loaded = await queryClient.fetchQuery(options).catch(() => undefined);
    isLoading.current = false;
    // Something else was chosen meanwhile.
    if (location.href !== href) return;
    const record = loaded?.data.at(to === 'next' ? 0 : -1)?.['id'];
    adjust({ page: number, ...(typeof record === 'number' && { record }) });
  };
  const step = () => {
    if (neighbor !== undefined && 'id' in neighbor) adjust({ record: neighbor.id });
    else if (page !== undefined && beside !== undefined) void cross(page, beside);
  };
  return (
    <Button
      look="quiet"
      aria-label={to === 'next' ? 'Next record' : 'Previous record'}
      isDisabled={neighbor === undefined}
      onPress={step}
    >
      <Icon name={to === 'next' ? 'down' : 'up'} />
    </Button>
  );
}

/** On this page, or at the edge of the page beside it. Undefined at either end of the list, and if the record is not on the page. */
function neighborOf(
  { data, pagination }: ListedPage,
  id: number,
  to: 'previous' | 'next',
): { readonly id: number } | { readonly page: number } | undefined {
  const place = data.findIndex((listed) => listed.id === id);
  if (place === -1) return undefined;
  const listed = data[to === 'next' ? place + 1 : place - 1];
  if (listed !== undefined) return { id: listed.id };
  const page = to === 'next' ? pagination.nextPage : pagination.previousPage;
  return page === null ? undefined : { page };
}
