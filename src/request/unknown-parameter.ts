/** A query string segment that is neither a parameter nor part of a filter, and what it was probably meant to be. */

import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem, type ProblemContext } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { type Parameter, type ParameterName, parameters, type Query } from './parameters.ts';
import { decode } from './percent-encoding.ts';

export function unknownParameter(
  { name, segment }: { readonly name: string; readonly segment: string },
  allowed: readonly ParameterName[],
  values: Query['values'],
  fields: readonly string[],
): Problem {
  return new Problem('unknown_parameter', `There is no parameter ${quoted(name)} here.`, {
    parameter: truncated(name),
    ...suggest(name, segment, allowed, values, fields),
  });
}

function suggest(
  name: string,
  segment: string,
  allowed: readonly ParameterName[],
  values: Query['values'],
  fields: readonly string[],
): ProblemContext {
  if (allowed.length === 0) return { suggestion: 'This request accepts no parameters; remove the query string.' };
  const condition = allowed.includes('filter') ? conditionIn(segment, fields) : undefined;
  if (condition !== undefined) {
    const filter = values.filter === undefined ? condition : `${condition}&${values.filter}`;
    return { suggestion: 'Conditions belong in the filter parameter.', fixed: { [name]: undefined, filter } };
  }
  const meant = meantParameter(name, allowed);
  if (meant !== undefined) {
    const split = segment.indexOf('=');
    const value: string | Problem = split < 0 ? '' : decode(segment.slice(split + 1));
    const isOpen = !(value instanceof Problem) && values[meant] === undefined;
    const fixed = isOpen ? meantValue(meant, name, value, values) : {};
    return {
      suggestion: `Did you mean ${meant}?`,
      ...(Object.keys(fixed).length > 0 && { fixed: { [name]: undefined, ...fixed } }),
    };
  }
  return {
    suggestion:
      allowed.length === 1 ? `The only parameter is ${allowed[0]}.` : `The parameters are ${allowed.join(', ')}.`,
  };
}

export function meantParameter(name: string, allowed: readonly ParameterName[]): ParameterName | undefined {
  const near = nearest(name, allowed);
  return allowed.find((parameter) => parameter === near) ?? allowed.find((parameter) => isAlias(parameter, name));
}

/** What says the same with the parameter that was meant; empty if nothing does. */
function meantValue(
  parameter: ParameterName,
  name: string,
  value: string,
  { limit = '10' }: Query['values'] = {},
): Readonly<Record<string, string>> {
  if (value === '') return {};
  switch (name.toLowerCase()) {
    case 'offset':
    case 'skip': {
      const [offset, rows] = [Number(value), Number(limit)];
      const isWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(rows) && rows > 0 && offset % rows === 0;
      return isWhole ? { page: String(offset / rows + 1) } : {};
    }
    case 'start':
    case 'cursor':
    case 'after':
    case 'direction':
      return {};
    default:
      return { [parameter]: value };
  }
}

/** The segment, if it is a condition on an existing field. */
function conditionIn(segment: string, fields: readonly string[]): string | undefined {
  const text = decode(segment);
  if (text instanceof Problem) return undefined;
  const filter = parseFilter(text);
  if (filter instanceof FilterError || (filter.kind !== 'comparison' && filter.kind !== 'membership')) return undefined;
  return fields.includes(filter.field.text) ? text : undefined;
}

function isAlias(parameter: ParameterName, name: string): boolean {
  const row: Parameter = parameters[parameter];
  return row.aliases.includes(name.toLowerCase());
}
