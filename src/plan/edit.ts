/** Changing and removing one record to the plan of a load with one row. */

import { findField } from '../catalog/catalog.ts';
import { valueFromJson } from '../catalog/field-value.ts';
import { type Field, isFixed, type Resource } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { isText, valueTypes } from '../catalog/value-types.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';

/** RFC 7396: a member that is absent keeps its value. */
export function planPatch(resource: Resource, body: unknown): ReadonlyMap<Field, Value | null> | Problem {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return new Problem('invalid_body', 'The body is not a JSON object.', {
      suggestion: 'Send the fields to change, such as {"name":"Azure Interior"}.',
    });
  const values = new Map<Field, Value | null>();
  for (const [name, json] of Object.entries(body)) {
    const field = findField(resource, name);
    if (field === undefined) return unknownMember(resource, name);
    if (isFixed(field)) return fixedMember(field);
    const value = valueFromJson(field, json);
    if (value instanceof Mismatch) return invalidMember(field, value, json);
    values.set(field, value);
  }
  return values;
}

function invalidMember(field: Field, { requirement }: Mismatch, json: unknown): Problem {
  const { name } = field;
  const suggestion = suggestedMember(field, json);
  return new Problem('invalid_body', `${name} ${requirement}.`, {
    parameter: name,
    ...(suggestion !== undefined && { suggestion }),
  });
}

/** The member with a value of the right type. */
function suggestedMember(field: Field, json: unknown): string | undefined {
  if (json === null) return field.nullable ? undefined : `Leave ${field.name} out to keep its value.`;
  const type = valueTypes[field.type];
  const text = typeof json === 'object' ? '' : String(json).trim();
  const read = type.read(text);
  const value = read instanceof Mismatch && read.meant !== undefined ? type.read(read.meant) : read;
  const sent = value instanceof Mismatch || valueFromJson(field, value) instanceof Mismatch ? undefined : value;
  if (text !== '' && sent !== undefined)
    return `Send ${JSON.stringify({ [field.name]: sent })}${typeof json === 'string' && typeof sent !== 'string' ? ', without quotes' : ''}.`;
  if (typeof json === type.schema['type'] || isText(field)) return undefined;
  return `Send a value such as ${JSON.stringify({ [field.name]: type.examples[0] })}.`;
}

function fixedMember({ name }: Field): Problem {
  return new Problem('invalid_body', `${name} cannot be changed.`, {
    parameter: name,
    suggestion: `Leave ${name} out.`,
  });
}

function unknownMember(resource: Resource, name: string): Problem {
  const names = resource.fields.filter((field) => !isFixed(field)).map((field) => field.name);
  const meant = nearest(name, names);
  return new Problem('invalid_body', `${resource.name} has no field ${quoted(name)}.`, {
    parameter: truncated(name),
    suggestion: meant === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
