/** Operators that people bring from other languages, and what says the same here. For error messages only. */

import type { OperatorSymbol } from './operators.ts';
import { quoteIfNeeded } from './print.ts';

/** Those that a value follows. */
const FOREIGN: readonly { readonly written: RegExp; readonly here: OperatorSymbol }[] = [
  { written: /^(?:does +)?not +(?:i?like|contains?)\b/i, here: '!*' },
  { written: /^(?:i?like|contains?|starts? +with|begins? +with|ends? +with)\b|^~/i, here: '*' },
  { written: /^(?:neq|ne|is +not|not +equals?)\b|^≠/i, here: '!=' },
  { written: /^(?:eq|is|equals?)\b|^:/i, here: '=' },
  { written: /^(?:gte|ge)\b|^≥/i, here: '>=' },
  { written: /^(?:lte|le)\b|^≤/i, here: '<=' },
  { written: /^(?:gt|greater +than|more +than|above|after)\b/i, here: '>' },
  { written: /^(?:lt|less +than|below|before)\b/i, here: '<' },
];

const VALUE = String.raw`('[^']*'|"[^"]*"|[^\s&|()'"]+)`;
const BETWEEN = new RegExp(`^(not +)?between +${VALUE} +and +${VALUE}`, 'i');
const LIST = /^(not +)?in *[([]([^()[\]]*)[)\]]/i;
const NULL = /^is +(not +)?(?:null|none|nil|empty)\b/i;

export interface Translation {
  /** The condition, or its form if it has no value. */
  readonly condition: string;
  /** How many characters after the name of the field say the same; undefined if the value is missing. */
  readonly length: number | undefined;
}

/** `name like x` is written `name*x` here; `rest` is what follows the name. */
export function translatedOperator(field: string, rest: string): Translation | undefined {
  const [between, isOutside, ...bounds] = BETWEEN.exec(rest) ?? [];
  if (between !== undefined) {
    const [low, high] = bounds.map(plainValue);
    const condition =
      isOutside === undefined ? `${field}>=${low}&${field}<=${high}` : `(${field}<${low}|${field}>${high})`;
    return { condition, length: between.length };
  }
  const [list = '', isNotIn, items = ''] = LIST.exec(rest) ?? [];
  if (items.trim() !== '')
    return { condition: `${field}${isNotIn === undefined ? '[' : '!['}${plainItems(items)}]`, length: list.length };
  const [nothing, isNotNull] = NULL.exec(rest) ?? [];
  if (nothing !== undefined)
    return { condition: `${field}${isNotNull === undefined ? '=' : '!='}null`, length: nothing.length };
  for (const { written, here } of FOREIGN) {
    const [operator] = written.exec(rest) ?? [];
    if (operator !== undefined) return withValue(`${field}${here}`, operator, rest.slice(operator.length));
  }
  if (/^(?:not +)?between\b/i.test(rest)) return { condition: `${field}>=1&${field}<=9`, length: undefined };
  if (!/^(?:not +)?in\b/i.test(rest)) return undefined;
  return { condition: `${field}${/^not/i.test(rest) ? '!' : ''}[1,2,3]`, length: undefined };
}

/** `begun` is the condition without its value, which `after` begins with. */
function withValue(begun: string, operator: string, after: string): Translation {
  const followed = after.slice(0, after.search(/[&|)]|$/));
  const value = followed.replace(/^ *=/, '').trim();
  if (value === '') return { condition: `${begun}value`, length: undefined };
  const given = operator === ':' && value.length <= MAX_LENGTH ? withoutColons(value) : value;
  return { condition: begun + given, length: operator.length + followed.length };
}

/** The longest value to look for further conditions in. */
const MAX_LENGTH = 200;

const NEXT_CONDITION = /(?:\s+(and|or)\s+|\s*[,;]\s*)([\w.]+)\s*(?::\s*|(?=[=!*<>[]))/gi;

/** `true, list_price: 5` is `true&list_price=5` here. */
function withoutColons(value: string): string {
  return value.replaceAll(NEXT_CONDITION, (all, word: string | undefined, name: string) => {
    const symbol = word?.toLowerCase() === 'or' ? '|' : '&';
    return `${symbol}${name}${all.trimEnd().endsWith(':') ? '=' : ''}`;
  });
}

/** Values between commas, without the quotes of other languages. */
export function plainItems(items: string): string {
  return items
    .split(',')
    .map((item) => plainValue(item.trim()))
    .filter((item) => item !== '')
    .join(',');
}

/** A value without the quotes of other languages. */
function plainValue(value: string): string {
  const [, inQuotes] = /^'(.*)'$/s.exec(value) ?? [];
  return inQuotes === undefined ? value : quoteIfNeeded(inQuotes);
}
