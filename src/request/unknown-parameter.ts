/** A segment of a query string that is neither a parameter nor part of a filter, and what it was probably meant to be. */

import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { mention, shortened } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { type Circumstances, Problem } from '../problem/problem.ts';
import { type Given, type Parameter, type ParameterName, parameters } from './parameters.ts';
import { decode } from './percent-encoding.ts';

export function unknownParameter(
  { name, segment }: { readonly name: string; readonly segment: string },
  allowed: readonly ParameterName[],
  values: Given['values'],
  fields: readonly string[],
): Problem {
  return new Problem('unknown_parameter', `There is no parameter ${mention(name)} here.`, {
    parameter: shortened(name),
    ...helpWith(name, segment, allowed, values, fields),
  });
}

function helpWith(
  name: string,
  segment: string,
  allowed: readonly ParameterName[],
  values: Given['values'],
  fields: readonly string[],
): Circumstances {
  if (allowed.length === 0) return { suggestion: 'This request takes no parameters; leave the query string out.' };
  const condition = allowed.includes('filter') ? conditionIn(segment, fields) : undefined;
  if (condition !== undefined) {
    const filter = values.filter === undefined ? condition : `${condition}&${values.filter}`;
    return { suggestion: 'A condition goes into the filter.', repaired: { ...values, filter } };
  }
  const meant = nearest(name, allowed) ?? allowed.find((parameter) => isCalled(parameter, name));
  if (meant !== undefined) return { suggestion: `Did you mean ${meant}?` };
  return {
    suggestion:
      allowed.length === 1 ? `The only parameter is ${allowed[0]}.` : `The parameters are ${allowed.join(', ')}.`,
  };
}

/** The segment, where it is a condition on a field that exists. */
function conditionIn(segment: string, fields: readonly string[]): string | undefined {
  const text = decode(segment);
  if (text instanceof Problem) return undefined;
  const filter = parseFilter(text);
  if (filter instanceof FilterError || (filter.kind !== 'comparison' && filter.kind !== 'membership')) return undefined;
  return fields.includes(filter.field.text) ? text : undefined;
}

function isCalled(parameter: ParameterName, name: string): boolean {
  const row: Parameter = parameters[parameter];
  return row.elsewhere.includes(name.toLowerCase());
}
