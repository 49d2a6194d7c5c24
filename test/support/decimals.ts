/** Exact arithmetic in the simplest possible way: numbers as multiples of a tiny decimal. */

/** No double is written with more digits after the point. */
const DIGITS = 400;

/** Digits of a quotient that decide how it is rounded. */
const MORE_DIGITS = 800;

/** The exact sum, rounded to the nearest double. */
export function decimalSum(numbers: readonly number[]): number {
  return Number(`${total(numbers)}e-${DIGITS}`);
}

/** The exact average, rounded to the nearest double. */
export function decimalAverage(numbers: readonly number[]): number {
  const quotient = (total(numbers) * 10n ** BigInt(MORE_DIGITS)) / BigInt(numbers.length);
  return Number(`${quotient}e-${DIGITS + MORE_DIGITS}`);
}

function total(numbers: readonly number[]): bigint {
  return numbers.reduce((sum, number) => sum + unitsOf(number), 0n);
}

function unitsOf(number: number): bigint {
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(DIGITS + Number(exponent) - fraction.length);
}
