/** Suggested values: the most frequent ones, or those that contain what is typed. */

import type { Connection } from '@stockbook/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isText } from '../../../src/catalog/value-types.ts';
import { recordsOf } from '../data/records.ts';
import { countOf } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { type KnownValue, literal } from './complete-filter.ts';
import { andFilter } from './edit-filter.ts';
import { valueSource } from './value-source.ts';

/** The maximum number of values that are suggested. */
const MAX_VALUES = 10;
/** How long typing pauses before values are looked up, in milliseconds. */
const PAUSE = 150;

/** `context` limits them to those of records that match it. */
export function useKnownValues(
  resource: Resource,
  field: Field | undefined,
  typed: string,
  context: string,
): readonly KnownValue[] {
  const { connection } = useSession();
  const text = usePaused(typed.trim());
  const source = field === undefined ? 'none' : valueSource(field, text);
  const contained = source === 'counted' && !(field && isText(field)) ? '' : text;
  const { data } = useQuery<readonly KnownValue[]>({
    queryKey: [resource.name, 'values', field?.name, source, contained, context],
    enabled: source !== 'none',
    retry: false,
    // The list stays while a person types on, unless it is of another field.
    placeholderData: (previous, query) => (query?.queryKey[2] === field?.name ? previous : undefined),
    queryFn: ({ signal }) => {
      if (field === undefined) return [];
      const filter = contained === '' ? context : andFilter(context, `${field.name}*${literal(contained)}`);
      const query = { filter: filter === '' ? undefined : filter, signal };
      return source === 'counted'
        ? frequentValues(connection, resource, field, query)
        : foundValues(connection, resource, field, query);
    },
  });
  return source === 'none' ? [] : (data ?? []);
}

interface ValuesQuery {
  readonly filter: string | undefined;
  readonly signal: AbortSignal;
}

async function frequentValues(
  connection: Connection,
  resource: Resource,
  { name }: Field,
  query: ValuesQuery,
): Promise<readonly KnownValue[]> {
  const { facets } = await recordsOf(connection, resource).aggregate({ ...query, facets: [name], limit: MAX_VALUES });
  const groups = facets[name]?.groups ?? [];
  return groups.flatMap((group) => {
    const value = 'value' in group ? group.value : null;
    if (value === null) return [];
    return [{ text: String(value), meaning: countOf(group.measures.count, resource.name, resource.plural) }];
  });
}

async function foundValues(
  connection: Connection,
  resource: Resource,
  { name }: Field,
  query: ValuesQuery,
): Promise<readonly KnownValue[]> {
  const { data } = await recordsOf(connection, resource).list({ ...query, fields: [name], limit: MAX_VALUES });
  const texts = new Set(data.flatMap((record) => record[name] ?? []).map(String));
  return [...texts].map((text) => ({ text, meaning: '' }));
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
