/** The parameters of a query string that has mistakes, known ones and others. For suggestions only. */

import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { PARAMETER_NAMES, type ParameterName } from './parameters.ts';
import { decode } from './percent-encoding.ts';
import { meantParameter } from './unknown-parameter.ts';

/** The most segments to look at. */
const MAX_SEGMENTS = 100;

/**
 * The first of each name. A segment after `filter=…` continues it, unless it is more like one of the parameters that are `allowed` than like one of
 * the fields. Undefined if there is too much, or something cannot be decoded.
 */
export function givenParameters(
  query: string,
  allowed: readonly ParameterName[],
  fields: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const segments = query.split('&', MAX_SEGMENTS + 1);
  if (segments.length > MAX_SEGMENTS) return undefined;
  const given = new Map<string, string>();
  for (const segment of segments.filter((each) => each !== '')) {
    const split = segment.indexOf('=');
    const name = decode(split < 0 ? segment : segment.slice(0, split));
    const value = decode(split < 0 ? '' : segment.slice(split + 1));
    const whole = decode(segment);
    if (name instanceof Problem || value instanceof Problem || whole instanceof Problem) return undefined;
    const filter = given.get('filter');
    const isParameter =
      PARAMETER_NAMES.some((one) => one === name) ||
      (meantParameter(name, allowed) !== undefined && !fields.includes(name) && nearest(name, fields) === undefined);
    if (filter !== undefined && !isParameter) given.set('filter', `${filter}&${whole}`);
    else if (!given.has(name)) given.set(name, value);
  }
  return Object.fromEntries(given);
}
