/** Whether a response is what the OpenAPI document says: its status, its headers, its media type and its body. */

import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import type { Json, JsonObject } from '../../src/openapi/json.ts';
import { OTHER_FORMATS } from '../../src/openapi/operations.ts';
import type { TestReply, TestRequest } from './service.ts';

/** Of HTTP itself, or on every response. */
const UNDOCUMENTED_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'trailer', 'transfer-encoding'],
  ...['x-content-type-options', 'access-control-allow-origin', 'access-control-expose-headers'],
  ...['content-security-policy', 'referrer-policy', 'x-frame-options'],
]);

const document = openApiDocument('test', builtInCatalog);
const paths = Object.entries(members(document['paths'])).map(([template, item]) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}$/, '[^/]+')}/?$`),
  item: members(item),
}));

/** The document allows unknown members, so that they can be added later. Here they would be a mistake. */
function closed(json: Json): Json {
  if (Array.isArray(json)) return json.map(closed);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([name, value]) => [name, closed(value)]);
  const isOpen = 'properties' in json && 'type' in json && !('additionalProperties' in json);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(Object(closed(document)), 'openapi');

/** Throws if the document describes the request, but not the response. */
export function checkDocumented({ method = 'GET', path }: TestRequest, reply: TestReply): void {
  const found = paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
  const verb = { HEAD: 'get', QUERY: 'get' }[method] ?? method.toLowerCase();
  const operation = found?.item[verb];
  if (found === undefined || operation === undefined || reply.status === 405) return;
  const what = `${method} ${path} → ${reply.status}`;
  const pointer = ['paths', found.template, verb, 'responses', String(reply.status)];
  const response = resolved(at(document, pointer));
  if (response === undefined) throw new Error(`${what} is not documented`);
  const headers = new Set(Object.keys(members(response['headers'])).map((name) => name.toLowerCase()));
  for (const name of Object.keys(reply.headers))
    if (!headers.has(name) && !UNDOCUMENTED_HEADERS.has(name))
      throw new Error(`${what} has the header ${name}, which is not documented`);
  const type = reply.headers['content-type']?.split(';')[0];
  if (type === undefined) return;
  if (type in members(response[OTHER_FORMATS])) return;
  if (!(type in members(response['content']))) throw new Error(`${what} is ${type}, which is not documented`);
  if (reply.json === undefined) return;
  const validate = validatorOf(pointer, type);
  if (!validate(reply.json) && !validate.errors?.every((error) => isUnselectedId(path, error)))
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${reply.text.slice(0, 500)}`);
}

/** The document describes records with their ids, which `fields` may leave out. */
function isUnselectedId(path: string, { keyword, params }: ErrorObject): boolean {
  const fields = new URLSearchParams(path.split('?')[1]).get('fields');
  const isMissing = keyword === 'required' && params['missingProperty'] === 'id';
  return isMissing && fields !== null && !/(?:^|,) *id *(?:,|$)/.test(fields);
}

function validatorOf(pointer: readonly string[], type: string): ValidateFunction {
  const response = at(document, pointer);
  const reference = response?.['$ref'];
  const base = typeof reference === 'string' ? reference.slice('#/'.length) : pointer.map(escaped).join('/');
  const validate = ajv.getSchema(`openapi#/${base}/content/${escaped(type)}/schema`);
  if (validate === undefined) throw new Error(`there is no schema of ${type} at ${pointer.join(' ')}`);
  return validate;
}

/** As part of a JSON pointer in a URI. */
function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function at(json: JsonObject, pointer: readonly string[]): JsonObject | undefined {
  let place: JsonObject | undefined = json;
  for (const segment of pointer) place = place?.[segment] === undefined ? undefined : members(place[segment]);
  return place;
}

function resolved(response: JsonObject | undefined): JsonObject | undefined {
  const reference = response?.['$ref'];
  return typeof reference === 'string' ? at(document, reference.split('/').slice(1)) : response;
}

function members(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? Object(json) : {};
}
