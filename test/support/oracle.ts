/**
 * The oracle: evaluates filters and sorts in the simplest possible way. It shares only the AST and the field types with the
 * program.
 */

import type { Field, Resource } from '../../src/catalog/resource.ts';
import type { Value } from '../../src/catalog/value.ts';
import type { Condition, Filter, Literal } from '../../src/filter/ast.ts';
import type { RecordValues } from './fixture.ts';

/** A list without pages. */
export interface Question {
  readonly q?: string | undefined;
  readonly filter?: Filter | undefined;
  readonly sort: readonly string[];
}

export function answer(
  records: readonly RecordValues[],
  resource: Resource,
  { q = '', filter, sort }: Question,
): readonly RecordValues[] {
  const found = records.filter(
    (record) => isFoundBy(q, record, resource) && (filter === undefined || matches(filter, record, resource)),
  );
  if (sort[0] !== 'relevance') return sorted(found, sort, resource);
  const rank = (record: RecordValues) => relevance(q, record, resource);
  return sorted(found, [], resource).toSorted((a, b) => rank(a) - rank(b));
}

export function matches(filter: Filter, record: RecordValues, resource: Resource): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.every((operand) => matches(operand, record, resource));
    case 'or':
      return filter.operands.some((operand) => matches(operand, record, resource));
    default:
      return meets(filter, record, fieldOf(resource, filter.field.text));
  }
}

function meets(condition: Condition, record: RecordValues, field: Field): boolean {
  const held = record[field.name] ?? null;
  const is = (literal: Literal) => equal(field, held, literal.text);
  switch (condition.operator) {
    case '[':
      return condition.items.some(is);
    case '![':
      return !condition.items.some(is);
    case '=':
      return is(condition.value);
    case '!=':
      return !is(condition.value);
    case '*':
      return typeof held === 'string' && folded(held).includes(folded(condition.value.text ?? ''));
    case '!*':
      return !(typeof held === 'string' && folded(held).includes(folded(condition.value.text ?? '')));
    default: {
      if (held === null) return false;
      const [left, right] = [measure(field, String(held)), measure(field, condition.value.text ?? '')];
      return { '>': left > right, '>=': left >= right, '<': left < right, '<=': left <= right }[condition.operator];
    }
  }
}

function equal(field: Field, held: Value | null, text: string | null): boolean {
  if (held === null || text === null) return held === text;
  if (field.type === 'text') return held === text;
  if (field.type === 'boolean') return held === (text.toLowerCase() === 'true');
  return measure(field, String(held)) === measure(field, text);
}

/** What is not a number or a point in time is ordered as its text is. */
function measure(field: Field, text: string): number | string {
  if (field.type === 'integer' || field.type === 'number') return Number(text);
  if (field.type !== 'timestamp') return text;
  return Date.parse(/T/.test(text) && !/(Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text);
}

/** Texts with the same folded form are equal to a search, and in no particular order. */
export function folded(text: string): string {
  const lowercase = [...text.toLowerCase()].map((letter) => (letter === 'ς' ? 'σ' : letter)).join('');
  return lowercase.normalize('NFC');
}

/** Whether each word of a search is in one of the searched fields. */
function isFoundBy(q: string, record: RecordValues, resource: Resource): boolean {
  return wordsOf(q).every((word) => resource.fields.some((field) => field.searched && hasWord(word, record, field)));
}

function wordsOf(q: string): readonly string[] {
  return folded(q).split(/\s/).filter(Boolean);
}

function hasWord(word: string, record: RecordValues, field: Field): boolean {
  const held = textIn(record, field);
  return held.includes(word) || (/\p{N}/u.test(word) && field.code === true && joined(held).includes(joined(word)));
}

function textIn(record: RecordValues, { name }: Field): string {
  return folded(String(record[name] ?? ''));
}

function joined(code: string): string {
  return code.split(/[-/. ]/).join('');
}

/** 0 for the best match. */
function relevance(q: string, record: RecordValues, resource: Resource): number {
  const words = [...new Set(wordsOf(q))];
  const name = textIn(record, fieldOf(resource, 'name'));
  const codes = resource.fields.filter(({ code }) => code).map((field) => joined(textIn(record, field)));
  const wanted = joined(words.join(''));
  if (wanted !== '' && codes.includes(wanted)) return 0;
  if (wanted !== '' && codes.some((code) => code.startsWith(wanted))) return 1;
  if (name.startsWith(words.join(' '))) return 2;
  return words.every((word) => name.includes(word)) ? 3 : 4;
}

/** By the fields in `sort`, `-` for descending, null last either way; then by `id`. */
export function sorted(
  records: readonly RecordValues[],
  sort: readonly string[],
  resource: Resource,
): readonly RecordValues[] {
  return records.toSorted((a, b) => {
    for (const word of [...sort, 'id']) {
      const name = word.replace('-', '');
      const [left, right] = [a[name] ?? null, b[name] ?? null];
      if (left === null || right === null) {
        if (left !== right) return left === null ? 1 : -1;
        continue;
      }
      const order = compare(fieldOf(resource, name), left, right);
      if (order !== 0) return word.startsWith('-') ? -order : order;
    }
    return 0;
  });
}

function compare(field: Field, left: Value, right: Value): number {
  if (field.type === 'boolean') return Number(left) - Number(right);
  if (field.type !== 'text') {
    const [a, b] = [measure(field, String(left)), measure(field, String(right))];
    return a === b ? 0 : a < b ? -1 : 1;
  }
  const [a, b] = [codePoints(folded(String(left))), codePoints(folded(String(right)))];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function codePoints(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0);
}

function fieldOf(resource: Resource, name: string): Field {
  const field = resource.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
}
