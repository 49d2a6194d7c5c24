/** Exact arithmetic in the simplest possible way: numbers as multiples of a tiny decimal. */

/** No double is written with more digits after the point. */
const DIGITS = 400;

/** Digits of a quotient that decide how it is rounded. */
const MORE_DIGITS = 800;

/** A number, or the product of two. */
type Term = number | readonly [number, number];

/** The exact sum, rounded to the nearest double. */
export function decimalSum(terms: readonly Term[]): number {
  return Number(`${total(terms)}e-${2 * DIGITS}`);
}

/** The exact average, rounded to the nearest double. */
export function decimalAverage(terms: readonly Term[]): number {
  const quotient = (total(terms) * 10n ** BigInt(MORE_DIGITS)) / BigInt(terms.length);
  return Number(`${quotient}e-${2 * DIGITS + MORE_DIGITS}`);
}

function total(terms: readonly Term[]): bigint {
  return terms.reduce<bigint>((sum, term) => {
    const [number, factor] = typeof term === 'number' ? [term, 1] : term;
    return sum + unitsOf(number) * unitsOf(factor);
  }, 0n);
}

function unitsOf(number: number): bigint {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(DIGITS + Number(exponent) - fraction.length);
}
