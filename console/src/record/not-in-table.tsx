/**
 * Says why the table does not show the open record: the search or the filter hides it, or it is on another page. Otherwise, a partner that was
 * just created would be gone as soon as its panel is closed.
 */

import { useQuery } from '@tanstack/react-query';
import { recordsOf } from '../data/records.ts';
import { capitalized } from '../format/capitalized.ts';
import { andFilter } from '../query/edit-filter.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { isNarrowed } from '../view/view.ts';
import './not-in-table.css';

export function NotInTable({ id }: { readonly id: number }) {
  const { view, show } = useView();
  const { connection } = useSession();
  const { resource, q, filter } = view;
  const { data: isMatch } = useQuery({
    queryKey: [resource.name, 'match', q, filter, id],
    enabled: checkFilter(resource, filter).kind === 'valid',
    queryFn: async ({ signal }) => {
      if (!isNarrowed(view)) return true;
      const query = {
        q: q === '' ? undefined : q,
        filter: andFilter(filter, `id=${id}`),
        fields: ['id'],
        limit: 1,
        signal,
      };
      return (await recordsOf(connection, resource).list(query)).meta.total > 0;
    },
  });
  if (isMatch === undefined) return null;
  const isBoth = q !== '' && filter !== '';
  const hiding = isBoth ? 'the search and the filter' : q === '' ? 'the filter' : 'the search';
  return (
    <div className="not-in-table" role="status">
      <p>
        {isMatch
          ? `This ${resource.name} is on another page of the table.`
          : `${capitalized(hiding)} ${isBoth ? 'hide' : 'hides'} this ${resource.name}: it is not in the table.`}
      </p>
      {isMatch ? (
        <Button onPress={() => show({ q: '', filter: `id=${id}` })}>Show only this {resource.name}</Button>
      ) : (
        <Button onPress={() => show({ q: '', filter: '' })}>Clear {hiding}</Button>
      )}
    </div>
  );
}
