/** Shown when no rows match: which conditions exclude everything, and a button to drop each. */

import type { ExplainedCondition } from '@stockbook/client';
import { useQuery } from '@tanstack/react-query';
import { hintFor } from '../../../src/plan/filter-hints.ts';
import { recordsOf } from '../data/records.ts';
import { countOf } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { spokenText } from './condition-words.ts';
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
    select: (explained) =>
      explained.map((condition) => ({ ...condition, words: spokenText(resource, condition.filter) })),
  });
  const hint = hintFor(resource, filter, 0);
  const actions = (
    <>
      {hint && (
        <Button look="primary" onPress={() => show({ filter: hint.filter })}>
          Use {hint.filter}
        </Button>
      )}
      <Button onPress={() => show({ filter: '' })}>Clear the filter</Button>
    </>
  );
  const title = `No ${resource.plural} match the filter`;
  // The service does not explain filters with too many conditions.
  if (conditions === undefined)
    return (
      <Notice title={title} icon="search" actions={actions}>
        <p aria-busy={isPending}>{isPending ? 'Finding out why…' : hint?.text}</p>
      </Notice>
    );
  return (
    <Notice title={title} icon="search" actions={actions}>
      <p>{reasonForNoRows(resource, conditions)}</p>
      {hint && <p>{hint.text}</p>}
      {conditions.length > 1 && (
        <table className="why-no-rows">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">{ALONE}</th>
              <th scope="col">{OTHERS}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {conditions.map((condition) => (
              <tr key={condition.filter}>
                <th scope="row">{condition.words}</th>
                <Count label={ALONE} count={condition.alone} {...resource} />
                <Count label={OTHERS} count={condition.others} {...resource} />
                <td>
                  <Button
                    look={condition.others > 0 ? 'primary' : 'plain'}
                    aria-label={`Drop ${condition.words}`}
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

/** Column titles. */
const ALONE = 'On its own';
const OTHERS = 'Without it';

interface CountProps {
  /** Shown in the cell on narrow screens, which have no header row. */
  readonly label: string;
  readonly count: ExplainedCondition['alone'];
  readonly name: string;
  readonly plural: string;
}

function Count({ label, count, name, plural }: CountProps) {
  return (
    <td data-label={label} data-none={count === 0 || undefined}>
      {countOf(count, name, plural)}
    </td>
  );
}
