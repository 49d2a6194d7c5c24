/** In place of rows if there are none: which conditions are to blame, and how to get rid of them. */

import { useQuery } from '@tanstack/react-query';
import type { ExplainedCondition } from 'stockbook/client';
import { recordsOf } from '../data/records.ts';
import { countOf } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { withoutCondition } from './edit-filter.ts';
import { reasonForNoRows } from './reason-for-no-rows.ts';
import './why-no-rows.css';

export interface WhyNoRowsProps {
  /** A view with a filter that matches nothing. */
  readonly view: View;
}

export default function WhyNoRows({ view }: WhyNoRowsProps) {
  const { show } = useView();
  const { connection } = useSession();
  const { resource, filter } = view;
  const { data: conditions, isPending } = useQuery({
    queryKey: [resource.name, 'explain', filter],
    queryFn: async ({ signal }) => {
      const { meta } = await recordsOf(connection, resource).list({
        filter,
        fields: ['id'],
        limit: 1,
        explain: true,
        signal,
      });
      return meta.conditions ?? [];
    },
  });
  const clear = <Button onPress={() => show({ filter: '' })}>Clear the filter</Button>;
  const title = `No ${resource.plural} match the filter`;
  // A filter may have too many conditions to be explained. Then the list below is all there is to say.
  if (conditions === undefined)
    return (
      <Notice title={title} icon="search" actions={clear}>
        <p aria-busy={isPending}>{isPending ? 'Looking for the reason…' : undefined}</p>
      </Notice>
    );
  return (
    <Notice title={title} icon="search" actions={clear}>
      <p>{reasonForNoRows(resource, conditions)}</p>
      {conditions.length > 1 && (
        <table className="why-no-rows">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">On its own</th>
              <th scope="col">Without it</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {conditions.map((condition) => (
              <tr key={condition.filter}>
                <th scope="row">
                  <code>{condition.filter}</code>
                </th>
                <Count count={condition.alone} {...resource} />
                <Count count={condition.others} {...resource} />
                <td>
                  <Button
                    look={condition.others > 0 ? 'primary' : 'plain'}
                    aria-label={`Drop ${condition.filter}`}
                    onPress={() => show({ filter: withoutCondition(filter, condition.filter) })}
                  >
                    Drop
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Notice>
  );
}

interface CountProps {
  readonly count: ExplainedCondition['alone'];
  readonly name: string;
  readonly plural: string;
}

function Count({ count, name, plural }: CountProps) {
  return <td data-none={count === 0 || undefined}>{countOf(count, name, plural)}</td>;
}
