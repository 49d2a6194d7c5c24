/**
 * What a new OpenAPI document takes away from an old one: whatever a client could rely on and no longer can. Adding is
 * always possible, except to what a request must have.
 */

import type { Json, JsonObject } from '../../src/openapi/json.ts';
import { OTHER_FORMATS } from '../../src/openapi/operations.ts';

interface Documents {
  readonly old: JsonObject;
  readonly new: JsonObject;
}

/** One line for each. */
export function incompatibilities(documents: Documents): readonly string[] {
  const paths = (document: JsonObject) => members(document['paths']);
  return Object.entries(paths(documents.old)).flatMap(([path, item]) =>
    Object.entries(members(item)).flatMap(([method, operation]) => {
      if (method === 'parameters') return [];
      const newItem = members(paths(documents.new)[path]);
      const newOperation = newItem[method];
      const place = `${method.toUpperCase()} ${path}`;
      if (newOperation === undefined) return [`${place} is gone`];
      return inOperation(
        place,
        withPathParameters(members(operation), members(item)),
        withPathParameters(members(newOperation), newItem),
        documents,
      );
    }),
  );
}

function withPathParameters(operation: JsonObject, item: JsonObject): JsonObject {
  return { ...operation, parameters: [...items(item['parameters']), ...items(operation['parameters'])] };
}

function inOperation(place: string, before: JsonObject, after: JsonObject, documents: Documents): string[] {
  return [
    ...inParameters(place, items(before['parameters']), items(after['parameters']), documents),
    ...inBody(`${place}: body`, before['requestBody'], after['requestBody'], documents),
    ...Object.entries(members(before['responses'])).flatMap(([status, response]) =>
      inResponse(
        `${place} → ${status}`,
        resolved(response, documents.old),
        resolved(members(after['responses'])[status], documents.new),
        documents,
      ),
    ),
  ];
}

function inParameters(
  place: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  documents: Documents,
): string[] {
  const key = ({ name, in: location }: JsonObject) => `${location} parameter ${name}`;
  const isNewlyRequired = (parameter: JsonObject) =>
    parameter['required'] === true && !before.some((old) => key(old) === key(parameter) && old['required'] === true);
  return [
    ...before
      .filter((old) => !after.some((parameter) => key(parameter) === key(old)))
      .map((old) => `${key(old)} is gone`),
    ...after.filter(isNewlyRequired).map((parameter) => `${key(parameter)} is required`),
    ...before.flatMap((old) => {
      const parameter = after.find((one) => key(one) === key(old));
      return parameter === undefined ? [] : inAccepted(key(old), old['schema'], parameter['schema'], documents);
    }),
  ].map((text) => `${place}: ${text}`);
}

/** What a client sends: the new schema accepts what the old one did. */
function inAccepted(place: string, before: Json | undefined, after: Json | undefined, documents: Documents): string[] {
  const [old, current] = [resolved(before, documents.old), resolved(after, documents.new)];
  const lost = (what: string) =>
    what in current ? names(old[what]).filter((value) => !names(current[what]).includes(value)) : [];
  const isLower = ['maximum', 'maxLength'].filter((bound) => Number(current[bound]) < Number(old[bound] ?? Infinity));
  const isHigher = ['minimum', 'minLength'].filter((bound) => Number(current[bound]) > Number(old[bound] ?? -Infinity));
  return [
    ...[...lost('type'), ...lost('enum')].map((value) => `${place} is no longer ${value}`),
    ...('enum' in current && !('enum' in old) ? [`${place} is one of ${names(current['enum']).join(', ')}`] : []),
    ...isLower.map((bound) => `${place} has a lower ${bound}`),
    ...isHigher.map((bound) => `${place} has a higher ${bound}`),
  ];
}

function inBody(place: string, before: Json | undefined, after: Json | undefined, documents: Documents): string[] {
  const schemaOf = (body: Json | undefined, document: JsonObject) =>
    resolved(members(members(members(body)['content'])['application/json'])['schema'], document);
  const [old, current] = [schemaOf(before, documents.old), schemaOf(after, documents.new)];
  return [
    ...Object.keys(members(old['properties']))
      .filter((name) => !(name in members(current['properties'])))
      .map((name) => `${place}: ${name} is gone`),
    ...Object.entries(members(old['properties'])).flatMap(([name, schema]) =>
      inAccepted(`${place}.${name}`, schema, members(current['properties'])[name], documents),
    ),
    ...names(current['required'])
      .filter((name) => !names(old['required']).includes(name))
      .map((name) => `${place}: ${name} is required`),
  ];
}

function inResponse(place: string, before: JsonObject, after: JsonObject, documents: Documents): string[] {
  if (Object.keys(after).length === 0) return [`${place} is gone`];
  const gone = (what: string) =>
    Object.keys(members(before[what]))
      .filter((name) => !(name in members(after[what])))
      .map((name) => `${place}: ${name} is gone`);
  const schemas = Object.entries(members(before['content'])).flatMap(([type, media]) => {
    const newMedia = members(after['content'])[type];
    if (newMedia === undefined) return [];
    return inSchema(`${place} ${type}`, members(media)['schema'], members(newMedia)['schema'], documents);
  });
  return [...gone('headers'), ...gone('content'), ...gone(OTHER_FORMATS), ...schemas];
}

/** What a client reads. */
function inSchema(place: string, before: Json | undefined, after: Json | undefined, documents: Documents): string[] {
  const [old, current] = [resolved(before, documents.old), resolved(after, documents.new)];
  const oldTypes = names(old['type']);
  const others = names(current['type']).filter((type) => !oldTypes.includes(type));
  const properties = Object.entries(members(old['properties'])).flatMap(([name, schema]) => {
    const property = members(current['properties'])[name];
    return property === undefined
      ? [`${place}.${name} is gone`]
      : inSchema(`${place}.${name}`, schema, property, documents);
  });
  return [
    ...(oldTypes.length > 0 && others.length > 0 ? [`${place} may be ${others.join(' or ')}`] : []),
    ...['type', 'enum'].filter((what) => what in old && !(what in current)).map((what) => `${place} has no ${what}`),
    ...names(old['enum'])
      .filter((value) => 'enum' in current && !names(current['enum']).includes(value))
      .map((value) => `${place}: ${value} is gone`),
    ...names(old['required'])
      .filter((name) => !names(current['required']).includes(name))
      .map((name) => `${place}.${name} may be missing`),
    ...properties,
    ...('items' in old ? inSchema(`${place}[]`, old['items'], current['items'], documents) : []),
    ...alternatives(old).flatMap((schema, index) =>
      inSchema(`${place}(${index + 1})`, schema, alternatives(current)[index], documents),
    ),
  ];
}

/** With the members of what it refers to, or is composed of. */
function resolved(json: Json | undefined, document: JsonObject): JsonObject {
  const { $ref: reference, allOf, ...own } = members(json);
  const referred = typeof reference === 'string' ? [at(document, reference)] : [];
  const parts = [...[...referred, ...items(allOf)].map((part) => resolved(part, document)), own];
  if (parts.length === 1) return own;
  const properties = Object.assign({}, ...parts.map((part) => members(part['properties'])));
  return Object.assign({}, ...parts, { properties });
}

function at(document: JsonObject, reference: string): JsonObject {
  let target = document;
  for (const segment of reference.split('/').slice(1)) target = members(target[segment]);
  return target;
}

function members(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? Object(json) : {};
}

function alternatives(schema: JsonObject): readonly JsonObject[] {
  return items(schema['anyOf']);
}

function items(json: Json | undefined): readonly JsonObject[] {
  return Array.isArray(json) ? json.map(members) : [];
}

function names(json: Json | undefined): readonly string[] {
  return (Array.isArray(json) ? json : json === undefined ? [] : [json]).map(String);
}
