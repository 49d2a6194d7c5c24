/**
 * Days from one to another, as people say it: today, the last 7 days, this month. In a filter they are two conditions, from the start of the
 * first day to that of the day after the last, in the reader's time zone:
 *
 *     in Los Angeles    Created today    create_date>=2026-06-23T07:00Z&create_date<2026-06-24T07:00Z
 */

import type { Filter } from '@stockbook/client/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { dayAfter, localPartsOf, today } from '../format/local-time.ts';
import { formatDay } from '../format/values.ts';

export interface DayRange {
  /** `2026-06-23`. */
  readonly first: string;
  /** Belongs to the range. */
  readonly last: string;
}

export interface FieldRange extends DayRange {
  readonly field: Field;
}

/** Those that have a name of their own, by that name. */
export const NAMED_RANGES = {
  today: (day: string) => ({ first: day, last: day }),
  'in the last 7 days': (day: string) => ({ first: dayAfter(day, -6), last: day }),
  'this month': (day: string) => ({ first: `${day.slice(0, -2)}01`, last: lastOfMonth(day) }),
} as const;

export type RangeName = keyof typeof NAMED_RANGES | 'between';

export const RANGE_NAMES: readonly RangeName[] = ['today', 'in the last 7 days', 'this month', 'between'];

export function rangeNamed(name: Exclude<RangeName, 'between'>, day = today()): DayRange {
  return NAMED_RANGES[name](day);
}

export function nameOfRange({ first, last }: DayRange, day = today()): RangeName {
  const found = RANGE_NAMES.filter((name) => name !== 'between').find((name) => {
    const range = rangeNamed(name, day);
    return range.first === first && range.last === last;
  });
  return found ?? 'between';
}

/** They follow a label: "Created today", "Created between Jun 1, 2026 and Jun 23, 2026". */
export function dayRangeWords(range: DayRange): string {
  const name = nameOfRange(range);
  if (name !== 'between') return name;
  const [first, last] = [formatDay(range.first), formatDay(range.last)];
  return first === last ? `on ${first}` : `between ${first} and ${last}`;
}

/** What a filter means if it is a range of days of one field. Undefined if it is anything else. */
export function dayRangeIn(resource: Resource, filter: Filter | undefined): FieldRange | undefined {
  if (filter?.kind !== 'and' || filter.operands.length !== 2) return undefined;
  const [from, before] = filter.operands;
  if (from.kind !== 'comparison' || from.operator !== '>=') return undefined;
  if (before?.kind !== 'comparison' || before.operator !== '<' || before.field.text !== from.field.text)
    return undefined;
  const field = findField(resource, from.field.text);
  if (field === undefined || storageOf(field) !== 'timestamp') return undefined;
  const [first, end] = [dayBeginningAt(from.value.text), dayBeginningAt(before.value.text)];
  if (first === undefined || end === undefined || first >= end) return undefined;
  return { field, first, last: dayAfter(end, -1) };
}

function dayBeginningAt(time: string | null): string | undefined {
  const parts = time === null ? undefined : localPartsOf(time);
  return parts?.isStartOfDay ? parts.day : undefined;
}

function lastOfMonth(day: string): string {
  const inNextMonth = dayAfter(`${day.slice(0, -2)}01`, 31);
  return dayAfter(`${inNextMonth.slice(0, -2)}01`, -1);
}
