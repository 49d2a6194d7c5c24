/**
 * Sums that do not depend on the order of what is added: numbers are added and multiplied as the decimals they are written as,
 * without any rounding, and the result is rounded once. So 0.1 + 0.2 is 0.3, and so is 0.1 * 3.
 */

import { productUnits, unitsOf } from './wasm/units.ts';

/** Numbers with at most this many digits after the point, such as prices, are added as integers. */
const SHORT_DIGITS = 6;
const SCALE = 10 ** SHORT_DIGITS;

/** Each factor of a short product has at most half of these digits. */
const FACTOR_SCALE = 10 ** (SHORT_DIGITS / 2);

/** A decimal with at most 15 digits is the only one of that length that its double stands for. */
const MAX_UNITS = 1e15;

/** Integers up to here, plus one more number, are exact. */
const MAX_PARTIAL = 2 ** 52;

/** A decimal number: units * 10 ** exponent. */
export interface Decimal {
  readonly units: bigint;
  readonly exponent: number;
}

/** The sum for each group. */
export class ExactSums {
  /** How many numbers of each group are missing. */
  readonly missing: Uint32Array;
  /** Sums of short numbers, in units of 1 / SCALE. */
  readonly #partial: Float64Array;
  /** Everything else, by group and exponent. */
  readonly #sums: Map<number, bigint>[];

  constructor(groups: number) {
    this.missing = new Uint32Array(groups);
    this.#partial = new Float64Array(groups);
    this.#sums = Array.from({ length: groups }, () => new Map());
  }

  /** Adds each number to the sum of its group. NaN is missing. */
  addAll(numbers: Float64Array, groups: Uint32Array): void {
    const { units, areExact } = unitsOf(numbers, SCALE, MAX_UNITS);
    this.#addUnits(units, groups);
    if (areExact) return;
    for (const [index, number] of numbers.entries()) {
      const group = groups[index] ?? 0;
      if (Number.isNaN(number)) this.#miss(group);
      else if (units[index] === 0 && number !== 0) this.#addExactly(group, decimalOf(number));
    }
  }

  /** As `addAll`, for the products of two numbers each. */
  addProducts(numbers: Float64Array, factors: Float64Array, groups: Uint32Array): void {
    const { units, areExact } = productUnits(numbers, factors, FACTOR_SCALE, MAX_UNITS);
    this.#addUnits(units, groups);
    if (areExact) return;
    for (const [index, number] of numbers.entries()) {
      const factor = factors[index] ?? Number.NaN;
      const group = groups[index] ?? 0;
      if (Number.isNaN(number) || Number.isNaN(factor)) this.#miss(group);
      else if (units[index] === 0 && number !== 0 && factor !== 0)
        this.#addExactly(group, decimalProduct(number, factor));
    }
  }

  #addUnits(units: Float64Array, groups: Uint32Array): void {
    const partials = this.#partial;
    for (let index = 0, { length } = units; index < length; index += 1) {
      const group = groups[index] ?? 0;
      const partial = (partials[group] ?? 0) + (units[index] ?? 0);
      partials[group] = partial;
      if (Math.abs(partial) > MAX_PARTIAL) this.#flush(group);
    }
  }

  #miss(group: number): void {
    this.missing[group] = (this.missing[group] ?? 0) + 1;
  }

  /** The sum of these groups together. */
  sum(groups: readonly number[]): Decimal {
    let sum: Decimal = { units: 0n, exponent: 0 };
    for (const group of groups) {
      this.#flush(group);
      for (const [exponent, units] of this.#sums[group] ?? []) sum = plus(sum, { units, exponent });
    }
    return sum;
  }

  #flush(group: number): void {
    this.#addExactly(group, { units: BigInt(this.#partial[group] ?? 0), exponent: -SHORT_DIGITS });
    this.#partial[group] = 0;
  }

  #addExactly(group: number, { units, exponent }: Decimal): void {
    const sums = this.#sums[group];
    sums?.set(exponent, (sums.get(exponent) ?? 0n) + units);
  }
}

/** The products of two numbers each, rounded once: infinite if too large, NaN if one of them is. */
export function products(numbers: Float64Array, factors: Float64Array): Float64Array {
  const { units } = productUnits(numbers, factors, FACTOR_SCALE, MAX_UNITS);
  return numbers.map((number, index) => {
    const factor = factors[index] ?? Number.NaN;
    const product = units[index] ?? 0;
    if (product !== 0) return product / SCALE;
    if (Number.isNaN(number) || Number.isNaN(factor)) return Number.NaN;
    return number === 0 || factor === 0 ? 0 : toNumber(decimalProduct(number, factor));
  });
}

function decimalProduct(number: number, factor: number): Decimal {
  const [a, b] = [decimalOf(number), decimalOf(factor)];
  return { units: a.units * b.units, exponent: a.exponent + b.exponent };
}

function plus(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const unitsOf = (number: Decimal) => number.units * 10n ** BigInt(number.exponent - exponent);
  return { units: unitsOf(a) + unitsOf(b), exponent };
}

/** The nearest double. Infinite if there is none. */
export function toNumber({ units, exponent }: Decimal): number {
  return Number(`${units}e${exponent}`);
}

/** The nearest double to the quotient. */
export function quotient({ units, exponent }: Decimal, divisor: number): number {
  const precision = 40;
  const dividend = units * 10n ** BigInt(precision);
  const truncated = dividend / BigInt(divisor);
  // What was truncated matters only if it decides a tie, and then any further digit does.
  const rest = dividend % BigInt(divisor) === 0n ? '0' : '1';
  return Number(`${truncated}${rest}e${exponent - precision - 1}`);
}

/** The shortest decimal that the number is written as. */
function decimalOf(number: number): Decimal {
  const [mantissa = '', exponent = ''] = number.toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { units: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
