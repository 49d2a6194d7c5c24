/**
 * Says why the table does not show the open record: the filter hides it, or it is on another page. Otherwise, a partner that was
 * just created would be gone as soon as its panel is closed.
 */

import { useQuery } from '@tanstack/react-query';
import { recordsOf } from '../data/records.ts';
import { andFilter } from '../query/edit-filter.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import './not-in-table.css';

export function NotInTable({ id }: { readonly id: number }) {
  const { view, show } = useView();
  const { connection } = useSession();
  const { resource, filter } = view;
  const { data: isMatch } = useQuery({
    queryKey: [resource.name, 'match', filter, id],
    enabled: checkFilter(resource, filter).kind === 'valid',
    queryFn: async ({ signal }) => {
      if (filter === '') return true;
      const query = { filter: andFilter(filter, `id=${id}`), fields: ['id'], limit: 1, signal };
      return (await recordsOf(connection, resource).list(query)).meta.total > 0;
    },
  });
  if (isMatch === undefined) return null;
  return (
    <div className="not-in-table" role="status">
      <p>
        {isMatch
          ? `This ${resource.name} is on another page of the table.`
          : `The filter hides this ${resource.name}: it is not in the table.`}
      </p>
      {isMatch ? (
        <Button onPress={() => show({ filter: `id=${id}` })}>Show only this {resource.name}</Button>
      ) : (
        <Button onPress={() => show({ filter: '' })}>Clear the filter</Button>
      )}
    </div>
  );
}
