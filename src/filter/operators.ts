/** The operators of the filter language: one row each, read by the parser, the plan, the errors and the docs. */

export type ValueType = 'integer' | 'number' | 'text' | 'boolean' | 'timestamp';

export interface Operator {
  /** As the contract's table writes it. */
  readonly symbol: string;
  readonly title: string;
  readonly example: string;
  readonly meaning: string;
  /** The types of field it can be used on. */
  readonly types: readonly ValueType[];
  /** Whether it takes `null`, on a nullable field. */
  readonly takesNull: boolean;
}

const everyType: readonly ValueType[] = ['integer', 'number', 'text', 'boolean', 'timestamp'];
const orderedTypes: readonly ValueType[] = ['integer', 'number', 'timestamp'];

export const operators = {
  '=': {
    symbol: '=',
    title: 'equals',
    example: 'default_code=SKU-1',
    meaning: 'exact match; text by code point, case-sensitive',
    types: everyType,
    takesNull: true,
  },
  '!=': {
    symbol: '!=',
    title: 'not equals',
    example: 'categ_id!=4',
    meaning: 'every record that `=` leaves out',
    types: everyType,
    takesNull: true,
  },
  '*': {
    symbol: '*',
    title: 'contains',
    example: 'name*chair',
    meaning: 'the text occurs anywhere, upper and lower case alike',
    types: ['text'],
    takesNull: false,
  },
  '!*': {
    symbol: '!*',
    title: 'not contains',
    example: 'name!*chair',
    meaning: 'every record that `*` leaves out',
    types: ['text'],
    takesNull: false,
  },
  '>': {
    symbol: '>',
    title: 'greater than',
    example: 'list_price>99.5',
    meaning: 'larger, or later; never null',
    types: orderedTypes,
    takesNull: false,
  },
  '>=': {
    symbol: '>=',
    title: 'greater or equal',
    example: 'write_date>=2026-01-31',
    meaning: 'larger or the same, later or the same; never null',
    types: orderedTypes,
    takesNull: false,
  },
  '<': {
    symbol: '<',
    title: 'less than',
    example: 'qty_available<0',
    meaning: 'smaller, or earlier; never null',
    types: orderedTypes,
    takesNull: false,
  },
  '<=': {
    symbol: '<=',
    title: 'less or equal',
    example: 'qty_available<=10',
    meaning: 'smaller or the same, earlier or the same; never null',
    types: orderedTypes,
    takesNull: false,
  },
  '[': {
    symbol: '[]',
    title: 'in list',
    example: 'id[1,2,3]',
    meaning: 'equals any of the values',
    types: everyType,
    takesNull: true,
  },
  '![': {
    symbol: '![]',
    title: 'not in list',
    example: 'categ_id![4,null]',
    meaning: 'every record that `[]` leaves out',
    types: everyType,
    takesNull: true,
  },
} as const satisfies Record<string, Operator>;

export type OperatorSymbol = keyof typeof operators;
export type ListSymbol = '[' | '![';
export type ValueSymbol = Exclude<OperatorSymbol, ListSymbol>;

/** Longest first, so that `!=` is never read as something that begins with `!`. */
export const operatorSymbols: readonly OperatorSymbol[] = Object.keys(operators)
  .filter((symbol): symbol is OperatorSymbol => Object.hasOwn(operators, symbol))
  .toSorted((a, b) => b.length - a.length);

export function isListSymbol(symbol: OperatorSymbol): symbol is ListSymbol {
  return symbol === '[' || symbol === '![';
}

export function operatorsFor(type: ValueType): readonly Operator[] {
  return Object.values<Operator>(operators).filter((operator) => operator.types.includes(type));
}
