/**
 * Slips in values that the syntax lets pass: `id==5` is `id=` with the value `=5`. Where the value then does not fit its
 * field, this says what was probably meant. Text fields take any value, so nothing is ever guessed there.
 */

import type { ValueSymbol } from '../filter/operators.ts';

export interface Slip {
  readonly suggestion: string;
  /** The whole condition as it was probably meant. */
  readonly condition: string;
}

/** A value that is longer was hardly typed by a person, and looking for slips in it would take time. */
const LONGEST = 200;

export function slipIn(field: string, operator: ValueSymbol, value: string): Slip | undefined {
  if (value.length > LONGEST) return undefined;
  const didYouMean = (condition: string): Slip => ({ suggestion: `Did you mean ${condition}?`, condition });
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
    suggestion: 'Conditions are joined by & (and) and | (or).',
    condition: `${field}${operator}${before}${/^(and|und)$/i.test(word) ? '&' : '|'}${after}`,
  };
}

/** By what was read as the operator with what the value begins with. */
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
