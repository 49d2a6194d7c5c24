/** The body of a create request to its plan: the fields that it gives, and what all the others begin with. */

import { findField } from '../catalog/catalog.ts';
import { type Field, initialValue, type Resource, type Value } from '../catalog/resource.ts';
import { storableJson } from '../catalog/storable.ts';
import { Mismatch } from '../catalog/value.ts';
import { mention, shortened } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import type { CreatePlan } from './plan.ts';

export function planCreate(resource: Resource, body: unknown, now: string): CreatePlan | Problem {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return new Problem('invalid_body', 'The body is not a JSON object.', { suggestion: EXAMPLE });
  }
  const given = new Map<string, unknown>(Object.entries(body));
  const surplus = [...given.keys()].find((key) => !resource.creatable.includes(key));
  if (surplus !== undefined) return surplusKey(resource, surplus);

  const values = new Map<Field, Value>();
  for (const field of resource.fields) {
    const value = given.has(field.name) ? givenValue(field, given.get(field.name)) : initialValue(field, now);
    if (value instanceof Problem) return value;
    if (value === undefined && field.initial.kind === 'required') return missingKey(field);
    if (value !== undefined && value !== null) values.set(field, value);
  }
  return { resource, values };
}

const EXAMPLE = 'Send an object such as {"name":"Azure Interior"}.';

function givenValue(field: Field, json: unknown): Value | null | Problem {
  const value = storableJson(field, json);
  if (!(value instanceof Mismatch)) return value;
  return new Problem('invalid_body', `${field.name} is not ${value.expected}.`, {
    parameter: field.name,
    suggestion: `Send ${field.name} as ${value.expected}.`,
  });
}

function missingKey({ name }: Field): Problem {
  return new Problem('invalid_body', `${name} is missing.`, { parameter: name, suggestion: EXAMPLE });
}

function surplusKey(resource: Resource, key: string): Problem {
  const accepted = resource.creatable.join(', ');
  const meant = nearest(key, resource.creatable);
  const detail =
    findField(resource, key) === undefined
      ? `${resource.name} has no field ${mention(key)}.`
      : `${key} cannot be given when a ${resource.name} is created.`;
  return new Problem('invalid_body', detail, {
    parameter: shortened(key),
    suggestion: meant === undefined ? `Send ${accepted} and nothing else.` : `Did you mean ${meant}?`,
  });
}
