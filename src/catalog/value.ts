/** Reads values from text, as filters and CSV cells write them. What a value may look like is said here and nowhere else. */

import type { ValueType } from '../filter/operators.ts';
import type { Value } from './resource.ts';
import { readTimestamp } from './timestamp.ts';

/** A text that is no value of the type. */
export class Mismatch {
  /** Completes the sentence "… is not". */
  readonly expected: string;
  /** The text that was probably meant. */
  readonly meant: string | undefined;

  constructor(expected: string, meant?: string) {
    this.expected = expected;
    this.meant = meant;
  }
}

export function readValue(type: ValueType, text: string): Value | Mismatch {
  switch (type) {
    case 'text':
      return text;
    case 'boolean':
      return readBoolean(text);
    case 'number':
      return readNumber(text);
    case 'integer':
      return readInteger(text);
    case 'timestamp':
      return (
        readTimestamp(text) ??
        new Mismatch('an ISO 8601 date or timestamp such as 2026-01-31 or 2026-01-31T09:30:00Z', meantTimestamp(text))
      );
  }
}

function readBoolean(text: string): boolean | Mismatch {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case '1':
    case 'yes':
    case 't':
      return new Mismatch('true or false', 'true');
    case '0':
    case 'no':
    case 'f':
      return new Mismatch('true or false', 'false');
    default:
      return new Mismatch('true or false');
  }
}

const DECIMAL = /^[+-]?(?<whole>\d*)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;

function readDecimal(text: string): { whole: string; fraction: string; exponent: number; value: number } | undefined {
  const { whole = '', fraction = '', exponent = '0' } = DECIMAL.exec(text)?.groups ?? {};
  if (whole === '' && fraction === '') return undefined;
  // Adding 0 makes one zero of -0 and 0.
  return { whole, fraction, exponent: Number(exponent), value: Number(text) + 0 };
}

/** What most numbers are: a few digits, with a point or without. */
const PLAIN = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const PLAIN_INTEGER = /^-?\d{1,15}$/;

function readNumber(text: string): number | Mismatch {
  if (PLAIN.test(text)) return Number(text) + 0;
  return readDecimal(text)?.value ?? new Mismatch('a number in decimal notation', meantNumber(text));
}

/** `5`, `5.0` and `50e-1` are the same integer; `5.00000000000000000001` is none, though a double cannot tell. */
function readInteger(text: string): number | Mismatch {
  if (PLAIN_INTEGER.test(text)) return Number(text) + 0;
  const decimal = readDecimal(text);
  if (decimal === undefined) {
    const meant = meantNumber(text);
    return new Mismatch('a whole number', meant?.includes('.') ? undefined : meant);
  }
  const digits = decimal.whole + decimal.fraction;
  let significant = digits.length;
  while (significant > 0 && digits.charAt(significant - 1) === '0') significant -= 1;
  const isWhole = significant === 0 || significant - decimal.whole.length <= decimal.exponent;
  return isWhole ? decimal.value : new Mismatch('a whole number');
}

/** `1,000` and `1_000` are thousands, `1,5` is a decimal comma. */
function meantNumber(text: string): string | undefined {
  const meant = text.replaceAll(/(?<=\d)[,_](?=\d{3}(?!\d))/g, '').replace(/^([+-]?\d+),(\d+)$/, '$1.$2');
  return meant !== text && readDecimal(meant) !== undefined ? meant : undefined;
}

/**
 * A `+` in a query string is a space, so `…T09:30:00+02:00` arrives as `…T09:30:00 02:00`; many write a space for the `T`,
 * leave out a zero, or begin with the day.
 */
function meantTimestamp(text: string): string | undefined {
  const meant = text
    .replace(/^(\d{1,2})\.(\d{1,2})\.(\d{4})/, '$3-$2-$1')
    .replace(/^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)/, (_, year: string, month: string, day: string) =>
      [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
    )
    .replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T')
    .replace(/(T[\d:.]+) (?=\d{2}:?\d{2}$)/, '$1+')
    .replace(/z$/, 'Z');
  return meant !== text && readTimestamp(meant) !== undefined ? meant : undefined;
}
