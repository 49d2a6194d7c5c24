/**
 * Mistakes that are valid syntax: `id==5` is `id=` with the value `=5`. If the value then does not fit its field, this
 * guesses what was meant. Text fields accept any value, so nothing is ever guessed for them.
 */

import type { ValueSymbol } from '../filter/operators.ts';

export interface Mistake {
  readonly suggestion: string;
  /** The whole condition as it was probably meant. */
  readonly condition: string;
}

/** The longest value to analyze: a person hardly types more, and analyzing takes time. */
const MAX_LENGTH = 200;

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
  const [, before = '', word = '', after = ''] = /^(.*?) +(and|or|und|oder) +(.*)$/is.exec(value) ?? [];
  if (word === '') return undefined;
  return {
    suggestion: 'Join conditions with & (and) or | (or).',
    condition: `${field}${operator}${before}${/^(and|und)$/i.test(word) ? '&' : '|'}${after}`,
  };
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
