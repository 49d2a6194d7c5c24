/** The operators of the filter language, one row each. The parser, the plan, error messages and the docs read this table. */

/** Which operators a value supports: equality alone, equality and ordering, or equality and text search. */
export type OperatorClass = 'equality' | 'order' | 'text';

export interface Operator {
  /** As the API documents it. */
  readonly symbol: string;
  readonly title: string;
  readonly example: string;
  readonly meaning: string;
  /** The classes of values it works on. */
  readonly classes: readonly OperatorClass[];
  /** Whether it accepts `null` on a nullable field. */
  readonly acceptsNull: boolean;
}

const EVERY = ['equality', 'order', 'text'] as const;
const ORDER = ['order'] as const;
const TEXT = ['text'] as const;

export const operators = {
  '=': {
    symbol: '=',
    title: 'equals',
    example: 'default_code=SKU-1',
    meaning: 'exact match; text by code point, case-sensitive',
    classes: EVERY,
    acceptsNull: true,
  },
  '!=': {
    symbol: '!=',
    title: 'not equals',
    example: 'categ_id!=4',
    meaning: 'every record that `=` does not match',
    classes: EVERY,
    acceptsNull: true,
  },
  '*': {
    symbol: '*',
    title: 'contains',
    example: 'name*chair',
    meaning: 'contains the text, ignoring case',
    classes: TEXT,
    acceptsNull: false,
  },
  '!*': {
    symbol: '!*',
    title: 'not contains',
    example: 'name!*chair',
    meaning: 'every record that `*` does not match',
    classes: TEXT,
    acceptsNull: false,
  },
  '>': {
    symbol: '>',
    title: 'greater than',
    example: 'list_price>99.5',
    meaning: 'greater or later; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '>=': {
    symbol: '>=',
    title: 'greater or equal',
    example: 'write_date>=2026-01-31',
    meaning: 'greater, later or equal; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '<': {
    symbol: '<',
    title: 'less than',
    example: 'qty_available<0',
    meaning: 'less or earlier; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '<=': {
    symbol: '<=',
    title: 'less or equal',
    example: 'qty_available<=10',
    meaning: 'less, earlier or equal; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '[': {
    symbol: '[]',
    title: 'in list',
    example: 'id[1,2,3]',
    meaning: 'equals any of the values',
    classes: EVERY,
    acceptsNull: true,
  },
  '![': {
    symbol: '![]',
    title: 'not in list',
    example: 'categ_id![4,null]',
    meaning: 'every record that `[]` does not match',
    classes: EVERY,
    acceptsNull: true,
  },
} as const satisfies Record<string, Operator>;

export type OperatorSymbol = keyof typeof operators;
export type ListSymbol = '[' | '![';
export type ValueSymbol = Exclude<OperatorSymbol, ListSymbol>;

/** Longest first, so that the longest match wins. */
export const operatorSymbols: readonly OperatorSymbol[] = Object.keys(operators)
  .filter((symbol): symbol is OperatorSymbol => Object.hasOwn(operators, symbol))
  .toSorted((a, b) => b.length - a.length);

export function isListSymbol(symbol: OperatorSymbol): symbol is ListSymbol {
  return symbol === '[' || symbol === '![';
}

export function operatorsFor(operatorClass: OperatorClass): readonly Operator[] {
  return Object.values<Operator>(operators).filter(({ classes }) => classes.includes(operatorClass));
}
