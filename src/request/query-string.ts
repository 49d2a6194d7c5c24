/**
 * The raw query string to its parameters: syntax only.
 *
 *     fields=id,name&filter=list_price%3E5     { fields: 'id,name', filter: 'list_price>5' }
 *     filter=active=true&list_price>5&page=2   { filter: 'active=true&list_price>5', page: '2' }
 *
 * A segment after `filter=…` that is not a parameter continues the filter, so a raw `&` loses nothing.
 */

import { Problem } from '../problem/problem.ts';
import { type Parameter, type ParameterName, parameters, type Query, type WholeQuery } from './parameters.ts';
import { decode, encode } from './percent-encoding.ts';
import { unknownParameter } from './unknown-parameter.ts';

/** The maximum number of segments between `&`: each may be a condition, and a filter has far fewer. */
const MAX_SEGMENTS = 1_000;

/** `fields` are the names a condition could start with, used for "did you mean" only. */
export function readQuery(
  query: string,
  allowed: readonly ParameterName[],
  fields: readonly string[] = [],
): WholeQuery | Problem {
  const values: Partial<Record<ParameterName, string>> = {};
  const repeated: Partial<Record<ParameterName, readonly string[]>> = {};
  const empty = new Set<ParameterName>();
  const seen = new Set<ParameterName>();
  const continuations: number[] = [];
  let unknown: { readonly name: string; readonly segment: string } | undefined;
  let emptySegments = 0;
  const segments = query.split('&', MAX_SEGMENTS + 1);
  if (segments.length > MAX_SEGMENTS) return tooManySegments();
  for (const segment of segments) {
    if (segment === '') {
      emptySegments += 1;
      continue;
    }
    const split = segment.indexOf('=');
    const name = decode(split < 0 ? segment : segment.slice(0, split));
    if (name instanceof Problem) return name;
    const parameter = allowed.find((candidate) => candidate === name);
    if (parameter !== undefined) {
      const { isRepeatable }: Parameter = parameters[parameter];
      if (seen.has(parameter) && isRepeatable !== true) return repeatedParameter(parameter, values, segment);
      seen.add(parameter);
      const value = decode(split < 0 ? '' : segment.slice(split + 1), parameter);
      if (value instanceof Problem) return value;
      if (isRepeatable === true) repeated[parameter] = [...(repeated[parameter] ?? []), value];
      else if (value === '') empty.add(parameter);
      else values[parameter] = value;
    } else if (values.filter !== undefined) {
      const condition = decode(segment, 'filter');
      if (condition instanceof Problem) return condition;
      const before = values.filter + '&'.repeat(emptySegments + 1);
      continuations.push(before.length);
      values.filter = before + condition;
    } else {
      unknown ??= { name, segment };
    }
    emptySegments = 0;
  }
  if (unknown !== undefined) return unknownParameter(unknown, allowed, values, fields);
  const read = { values, repeated, empty, continuations };
  return values.filter === undefined ? read : withFilterDecoded(read, values.filter);
}

/** The parameters as a query string. */
export function printQuery(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encode(value)}`]))
    .join('&');
}

function withFilterDecoded(query: WholeQuery, filter: string): WholeQuery | Problem {
  if (!isStillEncoded(filter)) return query;
  const decoded = decode(filter, 'filter');
  return decoded instanceof Problem
    ? decoded
    : { ...query, values: { ...query.values, filter: decoded }, continuations: [] };
}

const OPERATOR_CHARACTERS = /[=!*<>[]/;
const ENCODED_OPERATOR_CHARACTERS = /%(?:3D|21|2A|3C|3E|5B)/i;

/** Encoded twice by its sender. A filter always has an operator, so one without can only be meant decoded. */
function isStillEncoded(filter: string): boolean {
  return !OPERATOR_CHARACTERS.test(filter) && ENCODED_OPERATOR_CHARACTERS.test(filter);
}

function tooManySegments(): Problem {
  return new Problem('filter_too_many_conditions', `The query string has more than ${MAX_SEGMENTS} parts between &.`, {
    parameter: 'filter',
    suggestion: 'Put many values of one field into a list: id[1,2,3]. Encode an & in a value as %26.',
  });
}

function repeatedParameter(parameter: ParameterName, values: Query['values'], segment: string): Problem {
  const first = values.filter;
  const second = parameter === 'filter' ? decode(segment.slice(segment.indexOf('=') + 1), 'filter') : '';
  const both = first === undefined || second instanceof Problem || second === '' ? undefined : [first, second];
  return new Problem('repeated_parameter', `The parameter ${parameter} appears more than once.`, {
    parameter,
    suggestion:
      parameter === 'filter' ? 'Join the conditions in one filter with & (encoded as %26).' : `Send ${parameter} once.`,
    ...(both && { fixed: { filter: both.map((one) => (one.includes('|') ? `(${one})` : one)).join('&') } }),
  });
}
