/** Percent-encoding of query strings, both ways. */

import { Problem } from '../problem/problem.ts';

/** `+` and `%20` are spaces. */
export function decode(raw: string, parameter?: string): string | Problem {
  if (!/[+%]/.test(raw)) return raw;
  const malformed = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(raw);
  if (malformed !== null) {
    return encodingProblem(`${malformed[0]} is not a percent sign followed by two hexadecimal digits.`, parameter);
  }
  let text: string;
  try {
    text = decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return encodingProblem('The percent-encoded bytes are not UTF-8.', parameter);
  }
  return text.includes('\0') ? encodingProblem('A query string must not contain NUL (%00).', parameter) : text;
}

function encodingProblem(detail: string, parameter: string | undefined): Problem {
  return new Problem('malformed_encoding', detail, {
    ...(parameter === undefined ? {} : { parameter }),
    suggestion: 'Encode a literal percent sign as %25, and text as UTF-8.',
  });
}

/** Encodes only what a query string, a shell's double quotes and curl require, so that people can read the result. */
export function encode(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(?:3D|2C|3A|2F)/g, decodeURIComponent)
    .replaceAll('!', '%21');
}
