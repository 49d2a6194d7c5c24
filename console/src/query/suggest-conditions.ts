/**
 * Conditions that words in the search box could mean. The last word may be a value, which a label may precede, and the others stay a search; a
 * whole filter is one condition.
 *
 *     oak 100               Sales price is 100, Sales price is at least 100, …, with a search for oak
 *     oak price > 100       Sales price is more than 100, with a search for oak
 *     list_price>100        Sales price is more than 100
 *     inactive              Active is no
 *     2026-06-23            Created on Jun 23, 2026, …
 */

import { type Filter, printFilter } from '@stockbook/client/filter';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { readLocalNumber } from '../format/local-number.ts';
import { readLocalTime, today } from '../format/local-time.ts';
import { checkFilter } from '../view/check-filter.ts';
import { conditionWith, typed } from './condition-draft.ts';
import { spoken } from './condition-words.ts';
import { meaningOf } from './meaning-of-draft.ts';

export interface Suggestion {
  /** The condition as the filter language has it. */
  readonly filter: string;
  readonly words: string;
  /** What is left to search for. */
  readonly q: string;
}

/** More would have to be read like a menu. */
const MAX_SUGGESTIONS = 6;

type Operator = Parameters<typeof conditionWith>[1];

export function suggestConditions(resource: Resource, text: string): readonly Suggestion[] {
  const whole = suggestFilter(resource, text.trim(), '');
  if (whole !== undefined) return [whole];
  const labelled = suggestLabelled(resource, text.trim());
  if (labelled.length > 0) return labelled;
  // A sign belongs to what follows it.
  const words = text
    .trim()
    .replaceAll(/(?<=[<>=])\s+/gu, '')
    .split(/\s+/u);
  const last = words.at(-1) ?? '';
  const q = words.slice(0, -1).join(' ');
  const filter = suggestFilter(resource, last, q);
  if (filter !== undefined) return [filter];
  return suggestionsFor(resource, byLikelihood(resource.fields), last, q);
}

/** `price > 100`: a label, or one of its words, a sign and a value. */
function suggestLabelled(resource: Resource, text: string): readonly Suggestion[] {
  const [, before = '', sign = '', value = ''] = /^([^<>=]+?)\s*([<>]=?|=)\s*([^<>=]+)$/u.exec(text) ?? [];
  const words = before.toLowerCase().split(/\s+/u);
  for (let first = 0; first < words.length; first += 1) {
    const name = words.slice(first).join(' ');
    const fields = resource.fields.filter(({ label }) => isNamed(label.toLowerCase(), name));
    const found = suggestionsFor(resource, fields, `${sign}${value}`, before.split(/\s+/u).slice(0, first).join(' '));
    if (found.length > 0) return found;
  }
  return [];
}

function isNamed(label: string, name: string): boolean {
  return label === name || label.split(' ').includes(name);
}

function suggestionsFor(resource: Resource, fields: readonly Field[], word: string, q: string): readonly Suggestion[] {
  return fields
    .flatMap((field) => filtersOf(field, word))
    .map((filter) => ({ filter: printFilter(filter), words: spoken(resource, filter), q }))
    .filter((suggestion) => checkFilter(resource, suggestion.filter).kind === 'valid')
    .slice(0, MAX_SUGGESTIONS);
}

/** Identifiers are what a number means least often. */
function byLikelihood(fields: readonly Field[]): readonly Field[] {
  const isIdentifier = (field: Field) => storageOf(field) === 'integer';
  const offered = fields.filter(({ secondary }) => !secondary);
  return [...offered.filter((field) => !isIdentifier(field)), ...offered.filter(isIdentifier)];
}

/** Text that is a filter already. */
function suggestFilter(resource: Resource, text: string, q: string): Suggestion | undefined {
  if (text === '') return undefined;
  const checked = checkFilter(resource, text);
  if (checked.kind === 'invalid' || checked.filter === undefined) return undefined;
  return { filter: printFilter(checked.filter), words: spoken(resource, checked.filter), q };
}

type Comparison = readonly [Operator, value: string];

/** What a word could say about a field. */
function filtersOf(field: Field, word: string): readonly Filter[] {
  const isDay = readLocalTime(word)?.kind === 'day';
  switch (storageOf(field)) {
    case 'real':
      return conditions(field, amounts(word));
    case 'integer':
      return conditions(field, /^=?[1-9]\d*$/.test(word) ? [['=', word.replace('=', '')]] : []);
    case 'boolean':
      return conditions(field, flags(field, word.toLowerCase()));
    case 'timestamp': {
      const day = word.toLowerCase() === 'today' ? today() : word;
      const meaning = meaningOf({ field, operator: '=', values: [typed(day)] });
      return (isDay || day !== word) && meaning.kind === 'filter' ? [meaning.filter] : [];
    }
    case 'text':
      return isDay ? [] : conditions(field, texts(field, word));
  }
}

function conditions(field: Field, comparisons: readonly Comparison[]): readonly Filter[] {
  return comparisons.map(([operator, value]) => conditionWith(field, operator, [value]));
}

/** The label, or the opposite of "active". */
function flags({ label, kind }: Field, word: string): readonly Comparison[] {
  if (word === label.toLowerCase()) return [['=', 'true']];
  return kind === 'active' && word === 'inactive' ? [['=', 'false']] : [];
}

/** `100`, `>100`, `1,000.50`. */
function amounts(word: string): readonly Comparison[] {
  const [, sign = '', digits = ''] = /^([<>]=?|=?)(.+)$/.exec(word) ?? [];
  const [number] = readLocalNumber(digits);
  if (number === undefined) return [];
  const operator = AMOUNT_SIGNS.find((known) => known === sign);
  return operator === undefined
    ? [
        ['=', number],
        ['>=', number],
      ]
    : [[operator, number]];
}

const AMOUNT_SIGNS = ['=', '>', '>=', '<', '<='] as const;

/** Texts are equal only if their case is. Somebody who types in lowercase may not know it. */
function texts({ kind, code, category }: Field, word: string): readonly Comparison[] {
  const operator = word === word.toUpperCase() ? '=' : '*';
  if (kind === 'email') return MAIL.test(word) ? [['=', word]] : word.includes('@') ? [['*', word]] : [];
  if (code) return CODE.test(word) ? [[operator, word]] : [];
  if (kind === 'phone') return PHONE.test(word) ? [['*', word]] : [];
  // A search looks at names already.
  return category && kind === undefined && NAME.test(word) ? [['*', word]] : [];
}

const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Has a digit, and letters or several parts: `CHR-00012`. */
const CODE = /^(?=.*\d)(?=.*[\p{L}\-/.])[\p{L}\d][\p{L}\d\-/.]*$/u;
const PHONE = /^\+?[\d\-/().]{5,}$/;
/** Not one of the words for values of flags. */
const NAME = /^(?!(?:true|false|yes|no|null)$)\p{L}[\p{L}'’-]+$/iu;
