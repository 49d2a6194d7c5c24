/**
 * What can be written at a place in a filter. The text up to there is completed in a few ways until the parser reads it; the
 * condition that ends there then says what is missing.
 *
 *     active=tr    a value, of which `tr` is typed        active=true & li    a field, of which `li` is typed
 */

import {
  type Condition,
  type Filter,
  FilterError,
  isListSymbol,
  MAX_DEPTH,
  type OperatorSymbol,
  operators,
  parseFilter,
  printFilter,
} from '@stockbook/client/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { startOfDay, today } from '../format/local-time.ts';
import { formatDayOrTime } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { checkFilter } from '../view/check-filter.ts';
import { operatorsOf } from './condition-draft.ts';
import { conditionsOf } from './filter-tree.ts';

/** A place in a filter. What is typed there begins at `from`. */
export type Site =
  | { readonly kind: 'field'; readonly from: number; readonly typed: string }
  | { readonly kind: 'operator'; readonly from: number; readonly typed: string; readonly field: string }
  | {
      readonly kind: 'value';
      readonly from: number;
      readonly typed: string;
      readonly field: string;
      readonly operator: OperatorSymbol;
    }
  | { readonly kind: 'junction'; readonly from: number; readonly typed: '' };

export interface Completion {
  readonly id: string;
  /** As it is written. */
  readonly text: string;
  readonly meaning: string;
  /** Replaces the text from here to the caret. */
  readonly from: number;
  readonly insert: string;
  /** How far the caret is from the end of what was inserted. */
  readonly back?: number;
}

/** A value that records have, and how many of them. */
export interface KnownValue {
  readonly text: string;
  readonly meaning: string;
}

/** Undefined if nothing can be completed there, as in the middle of a word. */
export function siteAt(text: string, caret: number): Site | undefined {
  const before = text.slice(0, caret);
  if (!/^\s*([&|),\]]|$)/.test(text.slice(caret)) && !/[&|(]\s*$|^\s*$/.test(before)) return undefined;
  if (/^[\w.-]/.test(text.slice(caret))) return undefined;
  for (const ending of ['', '=', 'x=']) {
    const condition = lastCondition(before + ending);
    if (condition !== undefined) return siteIn(condition, before, ending);
  }
  return undefined;
}

/** Whether what is typed at a place is a value as it is, although longer ones may begin with it. */
export function isFinished(resource: Resource, site: Site): boolean {
  if (site.kind !== 'value') return false;
  const { field, operator, typed } = site;
  const closing = isListSymbol(operator) ? ']' : '';
  return checkFilter(resource, `${field}${operator}${typed}${closing}`).kind === 'valid';
}

function siteIn(condition: Condition, before: string, ending: string): Site | undefined {
  const { field, operator, operatorAt } = condition;
  const caret = before.length;
  if (ending === 'x=') return { kind: 'field', from: caret, typed: '' };
  if (ending === '=' && operatorAt <= caret) {
    if (field.at + field.text.length === caret) return { kind: 'field', from: field.at, typed: field.text };
    return { kind: 'operator', from: operatorAt, typed: before.slice(operatorAt), field: field.text };
  }
  const literal = condition.kind === 'membership' ? condition.items.at(-1) : condition.value;
  if (literal === undefined) return undefined;
  const from = Math.min(literal.at, caret);
  const typed = before.slice(from);
  const isQuoted = typed.startsWith('"');
  if (caret > literal.end || (isQuoted && caret === literal.end)) {
    const isInList = condition.kind === 'membership' && !/[\])]\s*$/.test(before);
    return isInList ? undefined : { kind: 'junction', from: caret, typed: '' };
  }
  return { kind: 'value', from, typed, field: field.text, operator };
}

/** The condition at the end of a text that may lack closing quotes, brackets and parentheses. */
function lastCondition(text: string): Condition | undefined {
  for (const closing of ['', '"', ']', '"]']) {
    const filter = parseClosed(text + closing);
    if (filter !== undefined) return conditionsOf(filter).at(-1);
  }
  return undefined;
}

function parseClosed(text: string): Filter | undefined {
  let closed = text;
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const filter = parseFilter(closed);
    if (!(filter instanceof FilterError)) return filter;
    // The error of an open group says how to close it.
    if (filter.fixed !== `${closed})`) return undefined;
    closed = filter.fixed;
  }
  return undefined;
}

export function completionsAt(resource: Resource, site: Site, known: readonly KnownValue[]): readonly Completion[] {
  switch (site.kind) {
    case 'field':
      return completeField(resource, site);
    case 'operator': {
      const field = findField(resource, site.field);
      return field === undefined ? [] : completeOperator(field, site.from, site.typed);
    }
    case 'value': {
      const field = findField(resource, site.field);
      return field === undefined ? [] : completeValue(field, site, known);
    }
    case 'junction':
      return JUNCTIONS.map(({ sign, meaning }) => completion(sign, meaning, site.from, `${sign} `));
  }
}

const JUNCTIONS = [
  { sign: '&', meaning: 'and: records that meet both' },
  { sign: '|', meaning: 'or: records that meet either' },
];

function completeField(resource: Resource, { from, typed }: Site): readonly Completion[] {
  const exact = findField(resource, typed);
  const fields = rank(resource.fields, typed).filter((field) => field !== exact);
  return [
    ...(exact === undefined ? [] : completeOperator(exact, from + typed.length, '')),
    ...fields.map((field) => completion(field.name, field.label, from)),
  ];
}

/** The fields whose labels, names or meanings have the text in them, those that begin with it first. */
export function rank(fields: readonly Field[], typed: string): readonly Field[] {
  const wanted = spaced(typed.trim());
  const isCalled = (matches: (text: string) => boolean, { name, label }: Field) =>
    [label, name].map(spaced).some(matches);
  const grade = (field: Field) => {
    if (isCalled((text) => text.startsWith(wanted), field)) return 0;
    if (isCalled((text) => text.includes(wanted), field)) return 1;
    return spaced(field.meaning).includes(wanted) ? 2 : 3;
  };
  return fields.filter((field) => grade(field) < 3).toSorted((a, b) => grade(a) - grade(b));
}

function spaced(text: string): string {
  return text.toLowerCase().replaceAll('_', ' ');
}

function completeOperator(field: Field, from: number, typed: string): readonly Completion[] {
  return operatorsOf(field)
    .filter((symbol) => symbol.startsWith(typed))
    .map((symbol) => {
      const { symbol: written, title } = operators[symbol];
      const isList = written.endsWith(']');
      return { ...completion(written, title, from), ...(isList && { back: 1 }) };
    });
}

function completeValue(
  field: Field,
  { from, typed, operator }: Site & { kind: 'value' },
  known: readonly KnownValue[],
): readonly Completion[] {
  const wanted = typed.replace(/^"/, '').toLowerCase();
  const values: readonly KnownValue[] =
    storageOf(field) === 'boolean' ? BOOLEANS : storageOf(field) === 'timestamp' ? days() : known;
  const isNullAllowed = field.nullable && operators[operator].acceptsNull;
  return [
    ...values.map(({ text, meaning }) => completion(literal(text), meaning, from)),
    ...(isNullAllowed ? [completion('null', wordFor(null), from)] : []),
  ].filter(({ text }) => {
    const plain = text.replace(/^"/, '').toLowerCase();
    return plain.includes(wanted) && text !== typed;
  });
}

const BOOLEANS: readonly KnownValue[] = [
  { text: 'true', meaning: wordFor(true) },
  { text: 'false', meaning: wordFor(false) },
];

/** Days begin in the reader's time zone. The filter has them in UTC. */
function days(now = new Date()): readonly KnownValue[] {
  const day = today(now);
  const weekAgo = new Date(now);
  weekAgo.setDate(weekAgo.getDate() - 7);
  const begun = [
    { day, meaning: 'today' },
    { day: today(weekAgo), meaning: 'a week ago' },
    { day: `${day.slice(0, 7)}-01`, meaning: 'this month' },
    { day: `${day.slice(0, 4)}-01-01`, meaning: 'this year' },
  ];
  return begun.map((start) => {
    const text = startOfDay(start.day);
    return { text, meaning: `${start.meaning}: ${formatDayOrTime(text)}` };
  });
}

/** A value as the filter language writes it, with quotes if they are needed. */
export function literal(text: string): string {
  const value = { text, at: 0, end: 0 };
  const name = { text: 'x', at: 0 };
  return printFilter({ kind: 'comparison', field: name, operator: '=', operatorAt: 0, value }).slice('x='.length);
}

function completion(text: string, meaning: string, from: number, insert = text): Completion {
  return { id: `${from} ${text}`, text, meaning, from, insert };
}
