/**
 * Mistakes that are valid syntax: `id==5` is `id=` with the value `=5`. What was probably meant, for a value that does not fit its field, or
 * for a text that no record has.
 */

import type { Field } from '../catalog/resource.ts';
import { isText, valueTypes } from '../catalog/value-types.ts';
import { plainItems } from '../filter/foreign-operators.ts';
import { isTextSymbol, type Operator, operators, type ValueSymbol } from '../filter/operators.ts';
import { quoteIfNeeded } from '../filter/print.ts';
import { meantTime, periodOf } from './meant-time.ts';

export interface Mistake {
  readonly suggestion: string;
  /** The whole condition as it was probably meant. */
  readonly condition: string;
}

/** The longest value to analyze: a person hardly types more, and analyzing takes time. */
export const MAX_LENGTH = 200;

export function findMistake(
  field: Field,
  operator: ValueSymbol,
  value: string,
  isField: (name: string) => boolean = () => true,
): Mistake | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const { name } = field;
  const didYouMean = (condition: string): Mistake => ({ suggestion: `Did you mean ${condition}?`, condition });
  const joined = joinedBySymbols(value, isField);
  if (joined !== undefined) return joinConditions(`${name}${operator}${joined.text}`);
  const meant = meantComparison(field, operator, value);
  if (meant !== undefined) return didYouMean(meant);
  if (isText(field)) return undefined;
  const [, list] = /^[[(](.*)[\])]$/s.exec(value) ?? /^([^,;]+(?:[,;][^,;]+)+)$/.exec(value) ?? [];
  if (list !== undefined && (operator === '=' || operator === '!='))
    return didYouMean(`${name}${operator === '=' ? '' : '!'}[${plainItems(list.replaceAll(';', ','))}]`);
  const [, low, high] = /^(\S+?) *(?:\.\.|…|–| to ) *(\S+)$/i.exec(value) ?? [];
  if (operator === '=' && low !== undefined && high !== undefined)
    return didYouMean(`${name}>=${low}&${name}<=${high}`);
  const once = joinedOnce(value);
  return once && joinConditions(`${name}${operator}${once.text}`);
}

function joinConditions(condition: string): Mistake {
  return { suggestion: 'Join conditions with & (and) or | (or).', condition };
}

/** A comparison that says otherwise what another language would. */
function meantComparison(field: Field, operator: ValueSymbol, value: string): string | undefined {
  let current: Comparison = { operator, value };
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const next: Comparison | undefined = plainer(field, current);
    if (next === undefined) break;
    current = next;
  }
  if (current.value === null) return `${field.name}${current.operator}null`;
  const period = field.type === 'timestamp' && current.operator === '=' ? periodOf(current.value) : undefined;
  if (period === undefined && current.operator === operator && current.value === value) return undefined;
  if (period !== undefined) return `${field.name}>=${period.from}&${field.name}<${period.until}`;
  return `${field.name}${current.operator}${isText(field) ? quoteIfNeeded(current.value) : current.value}`;
}

/** How many layers of other languages are taken off a value, such as `='*x*'`. */
const MAX_STEPS = 6;

interface Comparison {
  readonly operator: ValueSymbol;
  readonly value: string | null;
}

/** One step closer to what was meant. */
function plainer(field: Field, { operator, value }: Comparison): Comparison | undefined {
  if (value === null) return undefined;
  if (permitted(field, operator) === undefined) return undefined;
  const [, sign = '', signed = ''] = /^([=<>~]+) *(.*)$/s.exec(value) ?? [];
  if (sign !== '' && signed !== '')
    return { operator: permitted(field, MEANT_OPERATORS[operator + sign]) ?? operator, value: signed };
  const [, word = '', worded = ''] = /^(not\.)?([a-z]+)\./i.test(value)
    ? (/^([a-z]+)\.(.+)$/is.exec(value.replace(/^not\./i, '')) ?? [])
    : [];
  const dotted = operator === '=' ? permitted(field, dottedOperator(word, /^not\./i.test(value))) : undefined;
  if (dotted !== undefined) return { operator: dotted, value: worded };
  const [, single] = /^'(.*)'$/s.exec(value) ?? [];
  if (single !== undefined && single !== '') return { operator, value: single };
  if (/^(null|none|nil)$/i.test(value) && field.nullable && (operator === '=' || operator === '!='))
    return { operator, value: null };
  if (/^[^()]+\)+$/.test(value)) return { operator, value: value.replace(/ *\)+$/, '') };
  if (/[^,;\s] *[,;]+$/.test(value)) return { operator, value: value.replace(/ *[,;]+$/, '') };
  if (isText(field)) {
    const [, inner = ''] = /^[*%]*([^*%](?:.*[^*%])?)[*%]*$/s.exec(value) ?? [];
    if (inner === '' || inner === value) return undefined;
    return { operator: operator.startsWith('!') ? '!*' : '*', value: inner.trim() };
  }
  const [, amount] = /^[$€£] *(-?[\d.,]+)$/.exec(value) ?? /^(-?[\d.,]+) *(?:[$€£]|EUR|USD|GBP)$/i.exec(value) ?? [];
  if (amount !== undefined) return { operator, value: amount };
  const time = field.type === 'timestamp' ? meantTime(value, operator) : undefined;
  return time === undefined || time === value ? undefined : { operator, value: time };
}

function permitted(field: Field, operator: ValueSymbol | undefined): ValueSymbol | undefined {
  const row: Operator | undefined = operator && operators[operator];
  return row?.classes.includes(valueTypes[field.type].operatorClass) ? operator : undefined;
}

/** Other APIs write `list_price=lt.100`. */
function dottedOperator(word: string, negated: boolean): ValueSymbol | undefined {
  const operator = DOTTED.get(word.toLowerCase());
  if (!negated || operator === undefined) return operator;
  return operator === '=' ? '!=' : isTextSymbol(operator) ? '!*' : undefined;
}

const DOTTED: ReadonlyMap<string, ValueSymbol> = new Map([
  ['eq', '='],
  ['is', '='],
  ['neq', '!='],
  ['ne', '!='],
  ['gt', '>'],
  ['gte', '>='],
  ['ge', '>='],
  ['lt', '<'],
  ['lte', '<='],
  ['le', '<='],
  ['like', '*'],
  ['ilike', '*'],
  ['contains', '*'],
]);

interface Joined {
  readonly text: string;
  /** The first word, or sign, that was replaced. */
  readonly word: string;
}

/** What stands between conditions, as a person writes them: `chair and list_price>100`, `chair;list_price>100` */
const JOINTS = /(?:\s+(and|or|und|oder)\s+|\s*([;,])\s*)(?=[\s(]*([\w.]+)\s*(?:!?[=*[]|[<>]))/gi;

/** The text with symbols in place of the words. Undefined if it has none before a name that could be a field. */
export function joinedBySymbols(value: string, isField: (name: string) => boolean = () => true): Joined | undefined {
  let first: string | undefined;
  const text = value.replaceAll(JOINTS, (all, word: string | undefined, sign: string | undefined, name: string) => {
    if (!isField(name)) return all;
    first ??= word ?? sign;
    return symbolFor(word ?? sign ?? '');
  });
  return first === undefined ? undefined : { text, word: first };
}

/** If what follows is no condition, either: `5 and 7` */
function joinedOnce(value: string): Joined | undefined {
  const [, before = '', word = '', after = ''] = /^(.*?) +(and|or|und|oder) +(.*)$/is.exec(value) ?? [];
  return word === '' ? undefined : { text: `${before}${symbolFor(word)}${after}`, word };
}

export function symbolFor(word: string): '&' | '|' {
  return /^o(?:r|der)$/i.test(word) ? '|' : '&';
}

/** Keyed by the operator that was parsed followed by the start of the value. */
const MEANT_OPERATORS: Readonly<Record<string, ValueSymbol | undefined>> = {
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
  '=~': '*',
  '=~*': '*',
  '!=~': '!*',
  '*=': '*',
  '!*=': '!*',
};
