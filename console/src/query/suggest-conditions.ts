/**
 * Conditions that words in the search box could mean. The last word may be a value, and the others stay a search; a whole filter is one
 * condition.
 *
 *     oak 100               Sales price is 100, Sales price is at least 100, …, with a search for oak
 *     list_price>100        Sales price is more than 100
 */

import { printFilter } from '@stockbook/client/filter';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import { readLocalNumber } from '../format/local-number.ts';
import { checkFilter } from '../view/check-filter.ts';
import { conditionWith } from './condition-draft.ts';
import { spoken } from './condition-words.ts';

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
  const typed = text.trim();
  const whole = suggestFilter(resource, typed, '');
  if (whole !== undefined) return [whole];
  const words = typed.split(/\s+/u);
  const last = words.at(-1) ?? '';
  const q = words.slice(0, -1).join(' ');
  const filter = suggestFilter(resource, last, q);
  if (filter !== undefined) return [filter];
  return byLikelihood(resource.fields)
    .flatMap((field) => valuesOf(field, last).map(([operator, value]) => conditionWith(field, operator, [value])))
    .map((condition) => ({ filter: printFilter(condition), words: spoken(resource, condition), q }))
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
function valuesOf(field: Field, word: string): readonly Comparison[] {
  switch (storageOf(field)) {
    case 'real':
      return amounts(word);
    case 'integer':
      return /^[1-9]\d*$/.test(word) ? [['=', word]] : [];
    default:
      return isText(field) ? texts(field, word) : [];
  }
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
