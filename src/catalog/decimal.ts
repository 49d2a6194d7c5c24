/** Reads numbers in decimal notation: `12`, `-0.5`, `1.2e3`. */

import { Mismatch } from './value.ts';

const DECIMAL = /^[+-]?(?<whole>\d*)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

function readDecimal(text: string): { whole: string; fraction: string; exponent: number; value: number } | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(text)?.groups ?? {};
  if (whole === '' && fraction === '') return undefined;
  // Adding 0 converts -0 to 0.
  return { whole, fraction, exponent: Number(exponent), value: Number(text) + 0 };
}

/** Most numbers are a few digits with or without a decimal point; these need no further analysis. */
const PLAIN = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const PLAIN_INTEGER = /^-?\d{1,15}$/;

export function readNumber(text: string): number | Mismatch {
  if (PLAIN.test(text)) return Number(text) + 0;
  return readDecimal(text)?.value ?? new Mismatch('must be a number in decimal notation', meantNumber(text));
}

/** `5`, `5.0` and `50e-1` are the same integer. `5.00000000000000000001` is not an integer, though a double cannot tell. */
export function readInteger(text: string): number | Mismatch {
  if (PLAIN_INTEGER.test(text)) return Number(text) + 0;
  const decimal = readDecimal(text);
  if (decimal === undefined) {
    const meant = meantNumber(text);
    return new Mismatch('must be a whole number', meant?.includes('.') ? undefined : meant);
  }
  const digits = decimal.whole + decimal.fraction;
  let significant = digits.length;
  while (significant > 0 && digits.charAt(significant - 1) === '0') significant -= 1;
  const isWhole = significant === 0 || significant - decimal.whole.length <= decimal.exponent;
  return isWhole ? decimal.value : new Mismatch('must be a whole number');
}

/** `1,000` and `1_000` have thousands separators, `1,5` has a decimal comma. */
function meantNumber(text: string): string | undefined {
  const meant = text.replaceAll(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '').replace(/^([+-]?\d+),(\d+)$/, '$1.$2');
  return meant !== text && readDecimal(meant) !== undefined ? meant : undefined;
}
