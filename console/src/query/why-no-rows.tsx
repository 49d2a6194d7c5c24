/** Shown when no rows match: which words or conditions exclude everything, a button to drop each, and words that do exist. */

import type { ExplainedWord } from '@stockbook/client';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { recordsOf } from '../data/records.ts';
import { listQuery } from '../data/use-list.ts';
import { countOf } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useFocusOnRecords } from '../ui/use-focus-on-records.ts';
import { ViewLink } from '../ui/view-link.tsx';
import { useView, type ViewChange } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { spokenText } from './condition-words.ts';
import { withoutCondition } from './edit-filter.ts';
import { replaceWord, withoutWord } from './edit-search.ts';
import { type Requirement, reasonForNoRows } from './reason-for-no-rows.ts';
import './why-no-rows.css';

export interface WhyNoRowsProps {
  /** A view with a search or a filter that matches nothing. */
  readonly view: View;
}

/** What a record has to match, and the view without it. */
interface Droppable extends Requirement {
  readonly dropped: ViewChange;
}

export default function WhyNoRows({ view }: WhyNoRowsProps) {
  useFocusOnRecords();
  const { show } = useView();
  const { connection } = useSession();
  const { resource, q, filter } = view;
  const { data: explained, isPending } = useQuery({
    queryKey: [resource.name, 'explain', q, filter],
    queryFn: async ({ signal }) => {
      const { q: words, filter: conditions } = listQuery(view);
      const query = { q: words, filter: conditions, fields: ['id'], limit: 1, explain: true, signal };
      const { meta } = await recordsOf(connection, resource).list(query);
      return { conditions: meta.conditions ?? [], words: meta.words ?? [], hint: meta.hint };
    },
  });
  const hint = explained?.hint;
  const actions = (
    <>
      {hint && (
        <Button look="primary" onPress={() => show({ filter: hint.filter })}>
          Use {hint.filter}
        </Button>
      )}
      {q !== '' && <Button onPress={() => show({ q: '' })}>Clear the search</Button>}
      {filter !== '' && <Button onPress={() => show({ filter: '' })}>Clear the filter</Button>}
    </>
  );
  const title = titleOf(view);
  // The service does not explain filters with too many conditions.
  if (explained === undefined)
    return (
      <Notice title={title} icon="search" actions={actions}>
        <p aria-busy={isPending}>{isPending ? 'Finding out why…' : hint?.text}</p>
      </Notice>
    );
  const requirements: readonly Droppable[] = [
    ...explained.words.map((word) => ({ ...word, words: word.word, dropped: { q: withoutWord(q, word.word) } })),
    ...explained.conditions.map((condition) => ({
      ...condition,
      words: spokenText(resource, condition.filter),
      dropped: { filter: withoutCondition(filter, condition.filter) },
    })),
  ];
  const misspelt = explained.words.filter(({ nearest = [] }) => nearest.length > 0);
  return (
    <Notice title={title} icon="search" actions={actions}>
      <p>{reasonForNoRows(resource, requirements)}</p>
      {misspelt.length > 0 && <NearestWords q={q} misspelt={misspelt} />}
      {hint && <p>{hint.text}</p>}
      {requirements.length > 1 && <Requirements view={view} requirements={requirements} />}
      {q !== '' && <p>Words are searched for in {searchedFields(view)}.</p>}
    </Notice>
  );
}

function titleOf({ resource, q, filter }: View): string {
  if (q === '') return `No ${resource.plural} match the filter`;
  return `No ${resource.plural} match “${q}”${filter === '' ? '' : ' and the filter'}`;
}

function searchedFields({ resource }: View): string {
  const labels = resource.fields.filter(({ searched }) => searched).map(({ label }) => label.toLowerCase());
  return new Intl.ListFormat('en').format(labels);
}

interface NearestWordsProps {
  readonly q: string;
  /** One or more. */
  readonly misspelt: readonly ExplainedWord[];
}

/** What to search for instead, with words that records have. */
function NearestWords({ q, misspelt }: NearestWordsProps) {
  const [first, ...others] = misspelt;
  const meant = others.reduce((text, { word, nearest = [] }) => replaceWord(text, word, nearest[0] ?? word), q);
  const nearest = first?.nearest ?? [];
  return (
    <p>
      Did you mean{' '}
      {nearest.map((near, index) => {
        const corrected = replaceWord(meant, first?.word ?? '', near);
        return (
          <Fragment key={near}>
            {index > 0 && (index === nearest.length - 1 ? ' or ' : ', ')}
            <ViewLink change={{ q: corrected }}>{others.length > 0 ? corrected : near}</ViewLink>
          </Fragment>
        );
      })}
      ?
    </p>
  );
}

interface RequirementsProps {
  readonly view: View;
  readonly requirements: readonly Droppable[];
}

function Requirements({ view: { resource, q, filter }, requirements }: RequirementsProps) {
  const { show } = useView();
  return (
    <table className="why-no-rows">
      <thead>
        <tr>
          <th scope="col">{q === '' ? 'Condition' : filter === '' ? 'Word' : 'Word or condition'}</th>
          <th scope="col">{ALONE}</th>
          <th scope="col">{OTHERS}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {requirements.map(({ words, alone, others, dropped }) => (
          <tr key={words}>
            <th scope="row">{words}</th>
            <Count label={ALONE} count={alone} {...resource} />
            <Count label={OTHERS} count={others} {...resource} />
            <td>
              <Button
                look={others > 0 ? 'primary' : 'plain'}
                aria-label={`Drop ${words}`}
                onPress={() => show(dropped)}
              >
                Drop
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Column titles. */
const ALONE = 'On its own';
const OTHERS = 'Without it';

interface CountProps {
  /** Shown in the cell on narrow screens, which have no header row. */
  readonly label: string;
  readonly count: number;
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
