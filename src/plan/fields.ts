/** `fields`: the names of the fields to return, in order. */

import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, type Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';

export function planFields(resource: Resource, text: string): readonly Field[] | Problem {
  const fields = new Set<Field>();
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    const field = findField(resource, name);
    if (field === undefined)
      return unknownField(resource, 'fields', name, (meant) => names.with(names.indexOf(name), meant).join(','));
    fields.add(field);
  }
  return [...fields];
}

/** `fix` returns the whole parameter with the name that was meant. */
export function unknownField(
  resource: Resource,
  parameter: 'fields' | 'sort' | 'measures' | 'facets',
  name: string,
  fix: (meant: string) => string,
): Problem {
  const names = fieldNames(resource);
  const detail = name === '' ? `${parameter} has an empty name.` : `${resource.name} has no field ${quoted(name)}.`;
  const meant = nearest(name, names);
  return new Problem('unknown_field', detail, {
    parameter,
    suggestion: meant === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean ${meant}?`,
    ...(meant !== undefined && { fixed: { [parameter]: fix(meant) } }),
  });
}
