/** The operators of the filter language, one row each. The parser, the plan, error messages and the docs read this table. */

/** Which operators a value supports: equality alone, equality and ordering, or equality and text search. */
export type OperatorClass = 'equality' | 'order' | 'text';

/** What an operator compares a value with: a value, several, a text that it may contain, or one that comes before or after it. */
export type OperatorKind = 'value' | 'list' | 'text' | 'order';

export interface Operator {
  readonly kind: OperatorKind;
  /** As the API documents it. */
  readonly symbol: string;
  readonly title: string;
  readonly example: string;
  readonly meaning: string;
  /** The classes of values it works on. */
  readonly classes: readonly OperatorClass[];
  /** Whether it accepts `null` on a nullable field. */
  readonly acceptsNull: boolean;
  /** The operator that matches exactly the other records, null included. */
  readonly negates?: string;
}

const EVERY = ['equality', 'order', 'text'] as const;
const ORDER = ['order'] as const;
const TEXT = ['text'] as const;

export const operators = {
  '=': {
    kind: 'value',
    symbol: '=',
    title: 'equals',
    example: 'default_code=SKU-1',
    meaning: 'exact match; text by code point, case-sensitive',
    classes: EVERY,
    acceptsNull: true,
  },
  '!=': {
    kind: 'value',
    symbol: '!=',
    title: 'not equals',
    example: 'categ_id!=4',
    meaning: 'every record that `=` does not match',
    classes: EVERY,
    acceptsNull: true,
    negates: '=',
  },
  '*': {
    kind: 'text',
    symbol: '*',
    title: 'contains',
    example: 'name*chair',
    meaning: 'contains the text, ignoring case',
    classes: TEXT,
    acceptsNull: false,
  },
  '!*': {
    kind: 'text',
    symbol: '!*',
    title: 'not contains',
    example: 'name!*chair',
    meaning: 'every record that `*` does not match',
    classes: TEXT,
    acceptsNull: false,
    negates: '*',
  },
  '>': {
    kind: 'order',
    symbol: '>',
    title: 'greater than',
    example: 'list_price>99.5',
    meaning: 'greater or later; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '>=': {
    kind: 'order',
    symbol: '>=',
    title: 'greater or equal',
    example: 'write_date>=2026-01-31',
    meaning: 'greater, later or equal; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '<': {
    kind: 'order',
    symbol: '<',
    title: 'less than',
    example: 'qty_available<0',
    meaning: 'less or earlier; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '<=': {
    kind: 'order',
    symbol: '<=',
    title: 'less or equal',
    example: 'qty_available<=10',
    meaning: 'less, earlier or equal; null never matches',
    classes: ORDER,
    acceptsNull: false,
  },
  '[': {
    kind: 'list',
    symbol: '[]',
    title: 'in list',
    example: 'id[1,2,3]',
    meaning: 'equals any of the values',
    classes: EVERY,
    acceptsNull: true,
  },
  '![': {
    kind: 'list',
    symbol: '![]',
    title: 'not in list',
    example: 'categ_id![4,null]',
    meaning: 'every record that `[]` does not match',
    classes: EVERY,
    acceptsNull: true,
    negates: '[',
  },
} as const satisfies Record<string, Operator>;

export type OperatorSymbol = keyof typeof operators;

/** The operators of a kind. */
export type SymbolOf<Kind extends OperatorKind> = {
  [Symbol in OperatorSymbol]: (typeof operators)[Symbol]['kind'] extends Kind ? Symbol : never;
}[OperatorSymbol];

type NegatedSymbol = {
  [Symbol in OperatorSymbol]: (typeof operators)[Symbol] extends { readonly negates: string } ? Symbol : never;
}[OperatorSymbol];

export type ListSymbol = SymbolOf<'list'>;
export type ValueSymbol = Exclude<OperatorSymbol, ListSymbol>;
export type OrderSymbol = SymbolOf<'order'>;
/** The operators that search texts, without those that negate them. */
export type TextSymbol = Exclude<SymbolOf<'text'>, NegatedSymbol>;

/** Longest first, so that the longest match wins. */
export const operatorSymbols: readonly OperatorSymbol[] = Object.keys(operators)
  .filter((symbol): symbol is OperatorSymbol => Object.hasOwn(operators, symbol))
  .toSorted((a, b) => b.length - a.length);

export function isListSymbol(symbol: OperatorSymbol): symbol is ListSymbol {
  return operators[symbol].kind === 'list';
}

export function isOrderSymbol(symbol: OperatorSymbol): symbol is OrderSymbol {
  return operators[symbol].kind === 'order';
}

export function isTextSymbol(symbol: OperatorSymbol): symbol is TextSymbol {
  return operators[symbol].kind === 'text' && !isNegated(symbol);
}

export function isNegated(symbol: OperatorSymbol): boolean {
  return 'negates' in operators[symbol];
}

/** What a negated operator negates; any other operator itself. */
export function positive(symbol: OperatorSymbol): OperatorSymbol {
  const row = operators[symbol];
  return 'negates' in row ? row.negates : symbol;
}

/** The operator that matches exactly the records that this one does not. Undefined if there is none. */
export function complementOf(symbol: OperatorSymbol): OperatorSymbol | undefined {
  return isNegated(symbol)
    ? positive(symbol)
    : operatorSymbols.find((other) => other !== symbol && positive(other) === symbol);
}

export function operatorsFor(operatorClass: OperatorClass): readonly Operator[] {
  return Object.values<Operator>(operators).filter(({ classes }) => classes.includes(operatorClass));
}
