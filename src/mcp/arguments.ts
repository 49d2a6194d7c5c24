/** Checks the arguments of a tool call against what the tool takes. What their values mean is left to the API. */

import type { Catalog } from '../catalog/catalog.ts';
import { fieldNames } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { PARAMETER_NAMES } from '../request/parameters.ts';
import { encode } from '../request/percent-encoding.ts';
import { unknownParameter } from '../request/unknown-parameter.ts';
import { isObject } from './json.ts';
import type { Argument, Arguments, Tool } from './tool.ts';

/** Makes a call that creates something repeatable. */
export const IDEMPOTENCY_KEY = 'idempotency_key';

export function readArguments(tool: Tool, sent: unknown, catalog: Catalog, newKey: string): Arguments | Problem {
  if (sent !== undefined && !isObject(sent)) return invalid('The arguments are not an object.');
  const json: Record<string, unknown> = {};
  const text: Record<string, string> = {};
  let unknown: { readonly name: string; readonly value: unknown } | undefined;
  for (const [name, value] of Object.entries(sent ?? {})) {
    if (value === null) continue;
    const argument = Object.hasOwn(tool.arguments, name) ? tool.arguments[name] : undefined;
    if (argument === undefined) {
      unknown ??= { name, value };
      continue;
    }
    const read = readValue(name, argument, value);
    if (read instanceof Problem) return read;
    json[name] = value;
    text[name] = read;
  }
  if (unknown !== undefined) return unknownArgument(tool, unknown, text, catalog);
  const missing = tool.required.find((name) => text[name] === undefined);
  if (missing !== undefined) return invalid(`${missing} is missing.`, missing);
  return IDEMPOTENCY_KEY in tool.arguments ? withIdempotencyKey({ json, text }, newKey) : { json, text };
}

/** The caller is told the key, so that it can repeat the call. */
function withIdempotencyKey({ json, text }: Arguments, newKey: string): Arguments {
  const key = { [IDEMPOTENCY_KEY]: text[IDEMPOTENCY_KEY] || newKey };
  return { json: { ...json, ...key }, text: { ...text, ...key } };
}

const TYPES: Readonly<Record<Argument['type'], string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function readValue(name: string, argument: Argument, value: unknown): string | Problem {
  const isText = typeof value === 'string';
  // Models sometimes write numbers as strings; the API reads them as text in any case.
  const isRead =
    isText ||
    (argument.type === 'boolean' ? typeof value === 'boolean' : isNumeric(argument) && typeof value === 'number');
  if (!isRead) return invalid(`${name} must be ${TYPES[argument.type]}.`, name, asText(name, value));
  const text = String(value);
  if (!text.isWellFormed()) return invalid(`${name} must be well-formed Unicode, without lone surrogates.`, name);
  const { enum: values = [text] } = argument;
  if (values.includes(text)) return text;
  const meant = nearest(text, values);
  return invalid(`There is no ${name} ${quoted(text)}.`, name, {
    suggestion: meant === undefined ? `Use one of ${values.join(', ')}.` : `Did you mean ${meant}?`,
    ...(meant !== undefined && { fixed: { [name]: meant } }),
  });
}

/** Models sometimes write a list where names are separated by commas, or conditions joined. */
function asText(name: string, value: unknown): Problem['context'] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isPrimitive)) return {};
  if (name === 'filter')
    return { suggestion: 'Join conditions with & (and) or | (or) in one string.', fixed: { filter: value.join('&') } };
  if (!COMMA_SEPARATED.includes(name)) return {};
  return { suggestion: 'Write the names in one string, separated by commas.', fixed: { [name]: value.join(',') } };
}

const COMMA_SEPARATED: readonly string[] = ['fields', 'sort', 'measures', 'facets'];

/** Anything else may be nested deeper than a program can print. */
export function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isNumeric({ type }: Argument): boolean {
  return type === 'integer' || type === 'number';
}

/** `known` are the other arguments. */
function unknownArgument(
  tool: Tool,
  { name, value }: { readonly name: string; readonly value: unknown },
  known: Arguments['text'],
  catalog: Catalog,
): Problem {
  const names = Object.keys(tool.arguments);
  const resource = catalog.find(known['resource'] ?? '');
  const segment = isPrimitive(value) ? `${name}=${value}` : name;
  // Often it is a condition, or a parameter by the name that another API has for it.
  if (names.includes('filter') && resource !== undefined && segment.isWellFormed()) {
    const allowed = PARAMETER_NAMES.filter((parameter) => names.includes(parameter));
    return unknownParameter({ name, segment: encode(segment) }, allowed, known, fieldNames(resource));
  }
  const meant = nearest(name, names);
  return invalid(`${tool.name} has no argument ${quoted(name)}.`, truncated(name), {
    suggestion: meant === undefined ? `Its arguments are ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

function invalid(detail: string, parameter?: string, context: Problem['context'] = {}): Problem {
  return new Problem('invalid_arguments', detail, { ...(parameter !== undefined && { parameter }), ...context });
}
