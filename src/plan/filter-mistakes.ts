/**
 * Mistakes that are valid syntax: `id==5` is `id=` with the value `=5`. If the value then does not fit its field, this
 * guesses what was meant. Text fields accept any value; what is guessed for them is in `filter-hints.ts`.
 */

import type { ValueSymbol } from '../filter/operators.ts';

export interface Mistake {
  readonly suggestion: string;
  /** The whole condition as it was probably meant. */
  readonly condition: string;
}

/** The longest value to analyze: a person hardly types more, and analyzing takes time. */
export const MAX_LENGTH = 200;

export function findMistake(field: string, operator: ValueSymbol, value: string): Mistake | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const didYouMean = (condition: string): Mistake => ({ suggestion: `Did you mean ${condition}?`, condition });
  const [, sign = '', rest = ''] = /^([=<>]+) *(.*)$/s.exec(value) ?? [];
  if (sign !== '') return didYouMean(field + (MEANT_OPERATORS[operator + sign] ?? operator) + rest);
  if (/^(null|none|nil)$/i.test(value)) return didYouMean(`${field}${operator}null`);
  if (/^'.*'$/s.test(value)) return didYouMean(`${field}${operator}${value.slice(1, -1)}`);
  const [, list] = /^[[(](.*)[\])]$/s.exec(value) ?? /^([^,]+(?:,[^,]+)+)$/.exec(value) ?? [];
  if (list !== undefined && operator === '=') return didYouMean(`${field}[${list}]`);
  if (list !== undefined && operator === '!=') return didYouMean(`${field}![${list}]`);
  const joined = joinedBySymbols(value) ?? joinedOnce(value);
  if (joined === undefined) return undefined;
  return { suggestion: 'Join conditions with & (and) or | (or).', condition: `${field}${operator}${joined.text}` };
}

interface Joined {
  readonly text: string;
  /** The first word that was replaced. */
  readonly word: string;
}

/** Words between conditions, as a person writes them: `chair and list_price>100` */
const WORDS = /\s+(and|or|und|oder)\s+(?=[\s(]*(\w+)\s*(?:!?[=*[]|[<>]))/gi;

/** The text with symbols in place of the words. Undefined if it has none before a name that could be a field. */
export function joinedBySymbols(value: string, isField: (name: string) => boolean = () => true): Joined | undefined {
  let first: string | undefined;
  const text = value.replaceAll(WORDS, (all, word: string, name: string) => {
    if (!isField(name)) return all;
    first ??= word;
    return symbolFor(word);
  });
  return first === undefined ? undefined : { text, word: first };
}

/** If what follows is no condition, either: `5 and 7` */
function joinedOnce(value: string): Joined | undefined {
  const [, before = '', word = '', after = ''] = /^(.*?) +(and|or|und|oder) +(.*)$/is.exec(value) ?? [];
  return word === '' ? undefined : { text: `${before}${symbolFor(word)}${after}`, word };
}

export function symbolFor(word: string): '&' | '|' {
  return /^(?:and|und)$/i.test(word) ? '&' : '|';
}

/** Keyed by the operator that was parsed followed by the start of the value. */
const MEANT_OPERATORS: Readonly<Record<string, ValueSymbol>> = {
  '==': '=',
  '===': '=',
  '!==': '!=',
  '!===': '!=',
  '=>': '>=',
  '=<': '<=',
  '>=': '>=',
  '<=': '<=',
  '<>': '!=',
  '>>': '>',
  '<<': '<',
};
