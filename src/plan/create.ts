/** The body of a create request to its plan: the values it gives, and the initial values of all other fields. */

import { findField } from '../catalog/catalog.ts';
import { valueFromJson } from '../catalog/field-value.ts';
import { apiPath, type Field, initialValue, isFixed, type Resource } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import type { CreatePlan } from './plan.ts';

export function planCreate(resource: Resource, body: unknown, now: string): CreatePlan | Problem {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return new Problem('invalid_body', 'The body is not a JSON object.', { suggestion: EXAMPLE });
  }
  const unexpected = Object.keys(body).find((name) => !resource.creatable.includes(name));
  if (unexpected !== undefined) return unexpectedMember(resource, unexpected);
  const members = new Map<string, unknown>(Object.entries(body));

  const values = new Map<Field, Value>();
  for (const field of resource.fields) {
    const value = members.has(field.name) ? memberValue(field, members.get(field.name)) : initialValue(field, now);
    if (value instanceof Problem) return value;
    if (value === undefined && field.initial.kind === 'required') return missingMember(field);
    if (value !== undefined && value !== null) values.set(field, value);
  }
  return { resource, values };
}

const EXAMPLE = 'Send an object such as {"name":"Azure Interior"}.';

function memberValue(field: Field, json: unknown): Value | null | Problem {
  const value = valueFromJson(field, json);
  if (!(value instanceof Mismatch)) return value;
  return new Problem('invalid_body', `${field.name} ${value.requirement}.`, { parameter: field.name });
}

function missingMember({ name }: Field): Problem {
  return new Problem('invalid_body', `${name} is missing.`, { parameter: name, suggestion: EXAMPLE });
}

function unexpectedMember(resource: Resource, name: string): Problem {
  const field = findField(resource, name);
  if (field !== undefined) return setLater(resource, field);
  const meant = nearest(name, resource.creatable);
  return new Problem('invalid_body', `${resource.name} has no field ${quoted(name)}.`, {
    parameter: truncated(name),
    suggestion: meant === undefined ? onlyCreatable(resource) : `Did you mean ${meant}?`,
  });
}

function onlyCreatable({ creatable }: Resource): string {
  return `Send only ${creatable.join(', ')}.`;
}

function setLater(resource: Resource, field: Field): Problem {
  const path = apiPath(resource);
  const whole = `POST ${path}/import creates whole records`;
  const rest = isFixed(field)
    ? `${whole}, and needs the scope edit.`
    : `PATCH ${path}/{id} sets the rest afterwards, and ${whole}. Both need the scope edit.`;
  return new Problem('invalid_body', `${field.name} cannot be set when creating a ${resource.name}.`, {
    parameter: field.name,
    suggestion: `${onlyCreatable(resource)} ${rest}`,
  });
}
