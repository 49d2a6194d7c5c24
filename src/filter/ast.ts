/**
 * A filter as it was written: syntax only. Which fields exist and what the values mean is decided by the plan.
 *
 *     list_price>=10&(active=true|name*"a & b")
 *
 *     and
 *     ├── list_price >= 10
 *     └── or
 *         ├── active = true
 *         └── name * "a & b"
 *
 * Every `at` is an offset into the filter's text, in UTF-16 code units.
 */

import type { ListSymbol, ValueSymbol } from './operators.ts';

export type Filter = Junction | Condition;

export interface Junction {
  readonly kind: 'and' | 'or';
  readonly operands: readonly [Filter, Filter, ...Filter[]];
}

export type Condition = Comparison | Membership;

export interface Comparison {
  readonly kind: 'comparison';
  readonly field: Name;
  readonly operator: ValueSymbol;
  readonly operatorAt: number;
  readonly value: Literal;
}

export interface Membership {
  readonly kind: 'membership';
  readonly field: Name;
  readonly operator: ListSymbol;
  readonly operatorAt: number;
  readonly items: readonly [Literal, ...Literal[]];
}

export interface Name {
  readonly text: string;
  readonly at: number;
}

/** The text of a value without quotes and escapes, or null if it is a bare `null`. */
export interface Literal {
  readonly text: string | null;
  readonly at: number;
  readonly end: number;
}
