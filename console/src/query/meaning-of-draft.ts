/**
 * What a draft means: a filter, or a question if a value can be read in two ways. Numbers are read in the user's locale, and
 * times in the user's time zone; a day means the whole day.
 *
 *     in Los Angeles    write_date = Jun 23, 2026    write_date>=2026-06-23T07:00Z&write_date<2026-06-24T07:00Z
 */

import { type Filter, isListSymbol } from '@stockbook/client/filter';
import type { Field } from '../../../src/catalog/resource.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import { isText, storageOf, valueTypes } from '../../../src/catalog/value-types.ts';
import { hasDecimalComma, localDigits, readLocalNumber } from '../format/local-number.ts';
import { endOfDay, readLocalTime, startOfDay } from '../format/local-time.ts';
import { formatExactTime } from '../format/values.ts';
import { type ConditionDraft, conditionWith, type DraftValue, exactOrNull, isBlank } from './condition-draft.ts';
import { join } from './filter-tree.ts';

export type Meaning =
  /** It may be invalid. */
  { readonly kind: 'filter'; readonly filter: Filter } | { readonly kind: 'question'; readonly question: Question };

export interface Question {
  /** As it was typed. */
  readonly text: string;
  /** How many other values of the list are asked about at once. */
  readonly others: number;
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly label: string;
  /** The same with exact values. */
  readonly draft: ConditionDraft;
}

/** A value as the filter language has it, or several: `1,500` in a list may be one number or two. */
export type Reading = readonly (string | null)[];

export function meaningOf(draft: ConditionDraft): Meaning {
  const { field, operator } = draft;
  if (draft.range !== undefined) return { kind: 'filter', filter: aboutRange(draft) };
  const isList = isListSymbol(operator);
  const values = isList ? draft.values.filter((value) => !isBlank(value)) : draft.values.slice(0, 1);
  const [value] = values;
  const time = storageOf(field) === 'timestamp' && value?.kind === 'typed' ? readLocalTime(value.text) : undefined;
  if (!isList && time?.kind === 'day') return { kind: 'filter', filter: aboutDay(draft, time.day) };
  const readings = values.map((item) => readingsOf(field, item, isList));
  const chosen = (choice: number) => readings.flatMap((ways) => ways[choice] ?? ways[0] ?? []);
  const unclear = values.filter((item, index) => item !== null && (readings[index]?.length ?? 0) > 1);
  const [first, ...others] = unclear.filter((item) => item !== null);
  if (first === undefined) return { kind: 'filter', filter: conditionWith(field, operator, chosen(0)) };
  const answers = readingsOf(field, first, isList).map((reading, choice) => ({
    label: reading.map((text) => answerFor(field, text)).join('; '),
    draft: { ...draft, values: chosen(choice).map(exactOrNull) },
  }));
  return { kind: 'question', question: { text: first.text.trim(), others: others.length, answers } };
}

/**
 * In how many ways a value can be read, at least one: text that cannot be read stays as it is. `mayBeMany` is whether commas may
 * separate values.
 */
export function readingsOf(field: Field, value: DraftValue | null, mayBeMany: boolean): readonly Reading[] {
  if (value === null) return [[null]];
  if (value.kind === 'exact' || isText(field)) return [[value.text]];
  const text = value.text.trim();
  const { read } = valueTypes[field.type];
  const isValid = (reading: string) => !(read(reading) instanceof Mismatch);
  const single = readTyped(field, text).filter(isValid);
  // `1,585.41` is how a number is written, and `100,200,300` may be how three are.
  const isSeparable = mayBeMany && storageOf(field) === 'real' && !hasDecimalComma() && !text.includes('.');
  const several = isSeparable ? text.split(',') : [];
  const isSeveral = several.length > 1 && several.every(isValid);
  const readings = [...single.map((reading) => [reading]), ...(isSeveral ? [several] : [])];
  return readings.length === 0 ? [[text]] : readings;
}

function readTyped({ type }: Field, text: string): readonly string[] {
  switch (valueTypes[type].storage) {
    case 'real':
    case 'integer':
      return readLocalNumber(text);
    case 'timestamp': {
      const time = readLocalTime(text);
      if (time === undefined) return [];
      return time.kind === 'day' ? [startOfDay(time.day)] : time.instants;
    }
    default: {
      const found = valueTypes[type].read(text);
      return found instanceof Mismatch && found.meant !== undefined ? [found.meant] : [text];
    }
  }
}

/** Without zeros that make one number look like the other. */
function answerFor({ type }: Field, reading: string | null): string {
  if (reading === null) return '';
  return valueTypes[type].storage === 'timestamp'
    ? formatExactTime(reading)
    : localDigits(reading.replace(/\.0*$|(?<=\.\d*?[1-9])0+$/, ''));
}

/** Without one of its days, it is open at that end. */
function aboutRange({ field, values }: ConditionDraft): Filter {
  const [first, last] = values.map((value) => readLocalTime(value?.text ?? ''));
  const from = first?.kind === 'day' ? [conditionWith(field, '>=', [startOfDay(first.day)])] : [];
  const before = last?.kind === 'day' ? [conditionWith(field, '<', [endOfDay(last.day)])] : [];
  return join('and', [...from, ...before]) ?? conditionWith(field, '>=', ['']);
}

/** A day has a start and an end, and so may have several conditions. */
function aboutDay({ field, operator }: ConditionDraft, day: string): Filter {
  const [start, end] = [startOfDay(day), endOfDay(day)];
  const from = (time: string) => conditionWith(field, '>=', [time]);
  const before = (time: string) => conditionWith(field, '<', [time]);
  switch (operator) {
    case '>':
      return from(end);
    case '<':
      return before(start);
    case '<=':
      return before(end);
    case '=':
      return join('and', [from(start), before(end)]) ?? from(start);
    case '!=': {
      // As for any other value, records without one are not equal to it.
      const without = field.nullable ? [conditionWith(field, '=', [null])] : [];
      return join('or', [before(start), from(end), ...without]) ?? before(start);
    }
    default:
      return from(start);
  }
}
