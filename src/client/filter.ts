/**
 * Filters with values in them.
 *
 *     where('name', '*', 'A & B').and('list_price', '<', 100)     name*"A & B"&list_price<100
 *     filter`name*${'A & B'} & id[${[1, 2]}]`                     name*"A & B" & id[1,2]
 *
 * Which operators a field supports, and whether they accept null, follows from the operator table, at compile time.
 */

import type { OperatorClass, operators } from '../filter/operators.ts';
import { quote } from '../filter/print.ts';
import type { FieldOf, TypesOf } from './fields.ts';
import type { ValueTypes } from './generated/records.ts';

type Operators = typeof operators;

/** The symbols of the operators that work on a class of values. */
type SymbolsOn<Class extends OperatorClass> = {
  [Name in keyof Operators]: Class extends Operators[Name]['classes'][number] ? Operators[Name]['symbol'] : never;
}[keyof Operators];

type Symbols = { readonly [Class in OperatorClass]: SymbolsOn<Class> };

/** The symbols of the operators that accept null. */
type NullSymbol = {
  [Name in keyof Operators]: Operators[Name]['acceptsNull'] extends true ? Operators[Name]['symbol'] : never;
}[keyof Operators];

/** The operators that a field of this value type supports. */
export type OperatorOf<Type extends keyof ValueTypes> = Symbols[ValueTypes[Type]['operators']];

/** A timestamp can also be a `Date`. Null is possible if the field can be null and the operator accepts it. */
type Comparable<Value, Type extends keyof ValueTypes, Symbol> =
  | ValueTypes[Type]['json']
  | (Type extends 'timestamp' ? Date : never)
  | (Symbol extends NullSymbol ? Extract<Value, null> : never);

/** What an operator compares a field with: a value, or a list of values. */
export type OperandOf<Value, Type extends keyof ValueTypes, Symbol> = Symbol extends '[]' | '![]'
  ? readonly Comparable<Value, Type, Symbol>[]
  : Comparable<Value, Type, Symbol>;

/** A filter for records of type `R`, whose fields have the value types `T`. */
export class Filter<in out R, in out T extends TypesOf<R>> {
  readonly #text: string;
  readonly #joint: '&' | '|' | undefined;

  constructor(text: string, joint?: '&' | '|') {
    this.#text = text;
    this.#joint = joint;
  }

  /** Matches what this filter and another one, or a condition, match. */
  and(other: Filter<R, T>): Filter<R, T>;
  and<F extends FieldOf<R>, O extends OperatorOf<T[F]>>(
    field: F,
    operator: O,
    value: OperandOf<R[F], T[F], O>,
  ): Filter<R, T>;
  and(other: Filter<R, T> | string, operator = '', value?: unknown): Filter<R, T> {
    const right = typeof other === 'string' ? condition(other, operator, value) : other.#grouped;
    return new Filter(`${this.#grouped}&${right}`, '&');
  }

  /** Matches what this filter or another one, or a condition, matches. */
  or(other: Filter<R, T>): Filter<R, T>;
  or<F extends FieldOf<R>, O extends OperatorOf<T[F]>>(
    field: F,
    operator: O,
    value: OperandOf<R[F], T[F], O>,
  ): Filter<R, T>;
  or(other: Filter<R, T> | string, operator = '', value?: unknown): Filter<R, T> {
    const right = typeof other === 'string' ? condition(other, operator, value) : other;
    // `&` binds tighter, so nothing needs parentheses.
    return new Filter(`${this}|${right}`, '|');
  }

  get #grouped(): string {
    return this.#joint === '|' ? `(${this.#text})` : this.#text;
  }

  toString(): string {
    return this.#text;
  }
}

/** The symbols of the list operators are brackets, which have the values inside. */
export function condition(field: string, operator: string, value: unknown): string {
  const [opening, closing] = operator.endsWith('[]') ? [operator.slice(0, -1), ']'] : [operator, ''];
  return `${field}${opening}${literal(value)}${closing}`;
}

/** What can be written into a filter. */
export type FilterValue = string | number | boolean | Date | null | readonly FilterValue[];

/** The text of a filter, with the values quoted. A list is written into brackets: `id[${ids}]`. */
export function filter(text: TemplateStringsArray, ...values: readonly FilterValue[]): string {
  return String.raw({ raw: text }, ...values.map(literal));
}

/** Throws if there is no such value, so that a mistake never becomes a wider filter. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return value.map(literal).join(',');
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  throw new TypeError(`A filter cannot contain ${value}.`);
}
