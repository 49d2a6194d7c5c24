/** Sums, averages and extremes of all records that match. */

import { Resource as ClientResource, type Connection } from '@stockbook/client';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Field, fieldNames, type Resource } from '../../../src/catalog/resource.ts';
import { MAX_MEASURES } from '../../../src/plan/aggregate.ts';
import type { RecordValues, Value } from '../data/records.ts';
import { useSession } from '../session/session.ts';
import type { View } from '../view/view.ts';
import { amountsOf, sumOf, timesOf } from './charts.ts';
import type { Range } from './selection.ts';

export const STATISTICS = ['avg', 'min', 'max', 'sum'] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface Figures {
  readonly total: number;
  /** By the name that the API has for them: `sum(list_price)`. */
  readonly measures: Readonly<Record<string, Value>>;
}

/** The first ones, if a catalog has more amounts than one request may measure. */
export function measuredAmounts(resource: Resource): readonly Field[] {
  return amountsOf(resource).slice(0, Math.floor((MAX_MEASURES - 1) / STATISTICS.length));
}

/** The exact number of records, and the statistics of their amounts. */
export function useFigures({ resource, q, filter }: View, isValid: boolean): UseQueryResult<Figures> {
  const { connection } = useSession();
  const measures = [
    ...measuredAmounts(resource).flatMap(({ name }) => STATISTICS.map((kind) => `${kind}(${name})` as const)),
    ...(resource.amounts ?? []).map(sumOf),
  ].slice(0, MAX_MEASURES - 1);
  return useQuery({
    queryKey: [resource.name, 'figures', q, filter],
    enabled: isValid,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      measurable(connection, resource).aggregate({
        q: q === '' ? undefined : q,
        filter: filter === '' ? undefined : filter,
        measures: ['count', ...measures],
        signal,
      }),
  });
}

/** The earliest and latest time of each timestamp field. The periods of charts follow from it. Read only if it is needed. */
export function useTimeSpans(resource: Resource, isNeeded: boolean): UseQueryResult<ReadonlyMap<string, Range>> {
  const { connection } = useSession();
  const fields = timesOf(resource).slice(0, MAX_MEASURES / 2);
  return useQuery({
    queryKey: [resource.name, 'time spans'],
    enabled: isNeeded,
    queryFn: ({ signal }) =>
      measurable(connection, resource).aggregate({
        measures: fields.flatMap(({ name }) => [`min(${name})` as const, `max(${name})` as const]),
        signal,
      }),
    select: ({ measures }) => new Map(fields.map(({ name }) => [name, spanOf(measures, name)])),
  });
}

function spanOf(measures: Readonly<Record<string, Value>>, name: string): Range {
  const at = (value: Value | undefined) => (typeof value === 'string' ? Date.parse(value) : undefined);
  return { from: at(measures[`min(${name})`]), to: at(measures[`max(${name})`]) };
}

/** Which fields can be measured is known at run time, from the catalog: for the compiler they are all numbers. */
export function measurable(connection: Connection, resource: Resource) {
  return new ClientResource<RecordValues, Readonly<Record<string, 'number'>>>(
    connection,
    resource.path,
    fieldNames(resource),
  );
}
