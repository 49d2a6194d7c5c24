/**
 * Mistakes that are valid syntax: `id==5` is `id=` with the value `=5`. What was probably meant, for a value that does not fit its field, or
 * for a text that no record has.
 */

import type { Field } from '../catalog/resource.ts';
import { Mismatch } from '../catalog/value.ts';
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
const MAX_LENGTH = 200;

export function findMistake(
  field: Field,
  operator: ValueSymbol,
  value: string,
  isField: (name: string) => boolean,
): Mistake | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const { name } = field;
  const didYouMean = (condition: string): Mistake => ({ suggestion: `Did you mean ${condition}?`, condition });
  const joined = joinedBySymbols(value, isField);
  if (joined !== undefined) return joinConditions(`${name}${operator}${joined.text}`);
  const meant = isText(field) ? meantText(field, operator, value) : meantCondition(field, operator, value);
  if (meant !== undefined) return didYouMean(meant);
  const once = isText(field) ? undefined : joinedOnce(value);
  return once && joinConditions(`${name}${operator}${once.text}`);
}

function joinConditions(condition: string): Mistake {
  return { suggestion: 'Join conditions with & (and) or | (or).', condition };
}

/** A comparison that says otherwise what another language would. */
function plainest(field: Field, comparison: Comparison): Comparison {
  const next = plainer(field, comparison);
  return next === undefined ? comparison : plainest(field, next);
}

function meantText(field: Field, operator: ValueSymbol, value: string): string | undefined {
  const meant = plainest(field, { operator, value });
  if (meant.value === value) return undefined;
  return `${field.name}${meant.operator}${meant.value === null ? 'null' : quoteIfNeeded(meant.value)}`;
}

/** Undefined if the field would not accept it, either. */
function meantCondition(field: Field, operator: ValueSymbol, value: string): string | undefined {
  const { name } = field;
  const meant = plainest(field, { operator, value });
  if (meant.value === null) return `${name}${meant.operator}null`;
  const accepted = acceptedItem(field, meant.value);
  if (meant.operator === '=' || meant.operator === '!=') {
    const period = field.type === 'timestamp' ? periodOf(meant.value) : undefined;
    if (period !== undefined) return rangeOf(field, meant.operator === '!=', period.from, '<', period.until);
    const [, outside, low, high] = BETWEEN.exec(meant.value) ?? TO.exec(meant.value) ?? [];
    const [least, most] = [low, high].map((bound) => bound && acceptedItem(field, bound));
    if (least !== undefined && most !== undefined)
      return rangeOf(field, (meant.operator === '!=') !== (outside !== undefined), least, '<=', most);
    const [, notIn, list] = LIST.exec(meant.value) ?? [];
    const items = acceptedItems(field, (list ?? meant.value).replaceAll(';', ','));
    // `1,5` may be a number with a decimal comma.
    if (items !== undefined && (list !== undefined || (accepted === undefined && items.includes(','))))
      return `${name}${(meant.operator === '!=') === (notIn === undefined) ? '!' : ''}[${items}]`;
  }
  return accepted === undefined ? undefined : `${name}${meant.operator}${accepted}`;
}

/** `between(1,5)`, `not between 1 and 5` */
const BETWEEN = /^(not[. ]+)?between[. ]*[[(]? *([^\s,;()[\]]+)(?: *[,;] *| +and +)([^\s,;()[\]]+) *[\])]?$/i;

/** `1..5`, `1 to 5` */
const TO = /^()?(\S+?) *(?:\.\.|…|–| to ) *(\S+)$/i;

/** `[1,2]`, `in.(1,2)`, `not in (1,2)` */
const LIST = /^(not[. ]+)?(?:in[. ]*)?[[(]([^()[\]]*)[\])]$/i;

/** With negation, as `!=` does, also records that have no value. */
function rangeOf({ name, nullable }: Field, isOutside: boolean, from: string, end: '<' | '<=', until: string): string {
  if (!isOutside) return `${name}>=${from}&${name}${end}${until}`;
  return `(${name}<${from}|${name}${end === '<' ? '>=' : '>'}${until}${nullable ? `|${name}=null` : ''})`;
}

/** Values between commas, in the form that the field accepts. Undefined if it does not accept one of them. */
export function acceptedItems(field: Field, list: string): string | undefined {
  const items = plainItems(list)
    .split(',')
    .map((item) => (item === 'null' && field.nullable ? item : acceptedItem(field, item)));
  return items.includes(undefined) ? undefined : items.join(',');
}

function acceptedItem(field: Field, item: string): string | undefined {
  const { read } = valueTypes[field.type];
  const [, plain = item] = /^["'](.*)["']$/s.exec(item) ?? [];
  const value = read(plain);
  return value instanceof Mismatch ? value.meant : plain;
}

interface Comparison {
  readonly operator: ValueSymbol;
  readonly value: string | null;
}

/** One step closer to what was meant: a layer of another language is taken off, such as those of `='*x*'`, so the value becomes shorter. */
function plainer(field: Field, { operator, value }: Comparison): Comparison | undefined {
  if (value === null) return undefined;
  const [, sign, signed] = /^([=<>~]+) *(.+)/s.exec(value) ?? [];
  if (signed !== undefined) {
    const meant = MEANT_OPERATORS[`${operator}${sign}`];
    // Text may start with any sign; a number that does is not guessed at unless it is known what the signs mean.
    if (meant === undefined && !isText(field)) return undefined;
    return { operator: permitted(field, meant) ?? operator, value: signed };
  }
  const [, not, word = '', worded = ''] = /^(not\.)?([a-z]+)\.(.+)/is.exec(value) ?? [];
  const dotted = operator === '=' ? permitted(field, dottedOperator(word, not !== undefined)) : undefined;
  if (dotted !== undefined) return { operator: dotted, value: worded };
  const [, single] = /^'(.+)'$/s.exec(value) ?? [];
  if (single !== undefined) return { operator, value: single };
  if (/^(null|none|nil)$/i.test(value) && field.nullable && (operator === '=' || operator === '!='))
    return { operator, value: null };
  const [, left] = /^([^()]*[^() ]) *\)+$/.exec(value) ?? /(.*[^,;\s]) *[,;]+$/s.exec(value) ?? [];
  if (left !== undefined) return { operator, value: left };
  if (isText(field)) {
    const [inner = ''] = /[^*%](?:.*[^*%])?/s.exec(value) ?? [];
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
export function joinedBySymbols(value: string, isField: (name: string) => boolean): Joined | undefined {
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
  const [, before, word, after] = /(.*?) +(and|or|und|oder) +(.*)/is.exec(value) ?? [];
  return word === undefined ? undefined : { text: `${before}${symbolFor(word)}${after}`, word };
}

export function symbolFor(word: string): '&' | '|' {
  return word.toLowerCase().startsWith('o') ? '|' : '&';
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
  '>==': '>=',
  '<==': '<=',
  '<>': '!=',
  '>>': '>',
  '<<': '<',
  '=~': '*',
  '!=~': '!*',
  '*=': '*',
  '!*=': '!*',
};
