/**
 * The raw query string to the parameters it gives: syntax only.
 *
 *     fields=id,name&filter=list_price%3E5     { fields: 'id,name', filter: 'list_price>5' }
 *     filter=active=true&list_price>5&page=2   { filter: 'active=true&list_price>5', page: '2' }
 *
 * A segment behind `filter=…` that is no parameter continues the filter, so that a raw `&` loses nothing.
 */

import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import type { Given, ParameterName } from './parameters.ts';
import { decode, encode } from './percent-encoding.ts';

export function readQuery(query: string, allowed: readonly ParameterName[]): Given | Problem {
  const values: Partial<Record<ParameterName, string>> = {};
  const seen = new Set<ParameterName>();
  const continuations: number[] = [];
  let emptySegments = 0;
  for (const segment of query.split('&')) {
    if (segment === '') {
      emptySegments += 1;
      continue;
    }
    const split = segment.indexOf('=');
    const name = decode(split < 0 ? segment : segment.slice(0, split));
    if (name instanceof Problem) return name;
    const parameter = allowed.find((candidate) => candidate === name);
    if (parameter !== undefined) {
      if (seen.has(parameter)) return repeated(parameter);
      seen.add(parameter);
      const value = decode(split < 0 ? '' : segment.slice(split + 1), parameter);
      if (value instanceof Problem) return value;
      if (value !== '') values[parameter] = value;
    } else if (seen.has('filter')) {
      const condition = decode(segment, 'filter');
      if (condition instanceof Problem) return condition;
      const before = (values.filter ?? '') + '&'.repeat(emptySegments + 1);
      continuations.push(before.length);
      values.filter = before + condition;
    } else {
      return unknown(name, segment, allowed);
    }
    emptySegments = 0;
  }
  return values.filter === undefined
    ? { values, continuations }
    : withFilterDecoded({ values, continuations }, values.filter);
}

function withFilterDecoded(given: Given, filter: string): Given | Problem {
  if (!isStillEncoded(filter)) return given;
  const decoded = decode(filter, 'filter');
  return decoded instanceof Problem ? decoded : { values: { ...given.values, filter: decoded }, continuations: [] };
}

const OPERATOR_CHARACTERS = /[=!*<>[]/;
const ENCODED_OPERATOR_CHARACTERS = /%(?:3D|21|2A|3C|3E|5B)/i;

/** Encoded twice by its sender: a filter without any operator is none, so it can only mean what it says once decoded. */
function isStillEncoded(filter: string): boolean {
  return !OPERATOR_CHARACTERS.test(filter) && ENCODED_OPERATOR_CHARACTERS.test(filter);
}

function repeated(parameter: ParameterName): Problem {
  return new Problem('repeated_parameter', `The parameter ${parameter} is given more than once.`, {
    parameter,
    suggestion:
      parameter === 'filter' ? 'Join the conditions with & (written %26) in one filter.' : `Give ${parameter} once.`,
  });
}

function unknown(name: string, segment: string, allowed: readonly ParameterName[]): Problem {
  return new Problem('unknown_parameter', `There is no parameter ${mention(name)} here.`, {
    parameter: name,
    suggestion: suggestionFor(name, segment, allowed),
  });
}

function suggestionFor(name: string, segment: string, allowed: readonly ParameterName[]): string {
  if (allowed.length === 0) return 'This request takes no parameters; leave the query string out.';
  const meant = nearest(name, allowed);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const condition = decode(segment);
  if (
    allowed.includes('filter') &&
    !(condition instanceof Problem) &&
    !(parseFilter(condition) instanceof FilterError)
  ) {
    return `A condition goes into the filter: filter=${encode(condition)}`;
  }
  return `The parameters are ${allowed.join(', ')}.`;
}
