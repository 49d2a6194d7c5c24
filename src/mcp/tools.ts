/** The tools, one row each. The list that clients get, the translation of calls, the docs and the tests read this table. */

import { type Catalog, findResource, resources } from '../catalog/catalog.ts';
import { memoize } from '../catalog/memoize.ts';
import { apiPath, type Field, type Resource, type ResourceOutline } from '../catalog/resource.ts';
import { type Storage, valueTypes } from '../catalog/value-types.ts';
import { recordNotFound } from '../plan/record.ts';
import {
  AGGREGATE_PARAMETERS,
  CHANGES_PARAMETERS,
  LIST_PARAMETERS,
  type ParameterName,
  parameters,
  RECORD_PARAMETERS,
} from '../request/parameters.ts';
import { encode } from '../request/percent-encoding.ts';
import { IDEMPOTENCY_KEY } from './arguments.ts';
import { descriptionOf } from './describe.ts';
import { fewerFields, fewerGroups, fewerRecords } from './result-size.ts';
import { aggregateResult, changesResult, createResult, listResult, recordResult } from './results.ts';
import type { Argument, Arguments, Tool } from './tool.ts';

/** How parameters of the API are written as arguments: as strings, unless they are here. */
const ARGUMENT_TYPES: Partial<Record<ParameterName, Argument['type']>> = {
  page: 'integer',
  limit: 'integer',
  explain: 'boolean',
};

/** What models need to know beyond what the docs of the API say. */
const MEANINGS: Partial<Record<ParameterName, string>> = {
  q: 'words that all have to be found, such as oak chair; for everything else, use filter',
  filter: 'conditions joined with & and |, such as name*chair&list_price>100; describe lists the operators',
};

/** How fields of new records are written. */
const JSON_TYPES: Readonly<Record<Storage, Argument['type']>> = {
  integer: 'integer',
  real: 'number',
  boolean: 'boolean',
  text: 'string',
  timestamp: 'string',
};

const resource: Argument = { type: 'string', enum: resources.map(({ name }) => name) };

const readTools: readonly Tool[] = [
  {
    kind: 'local',
    name: 'describe',
    description: 'Resources, their fields and types, and the filter syntax. Call this first.',
    action: 'read',
    resources,
    arguments: { resource },
    required: [],
    toResult: descriptionOf,
  },
  {
    kind: 'api',
    name: 'query',
    description: 'Find records: a page of them, the exact total, and the call for the next page.',
    action: 'read',
    resources,
    arguments: { resource, ...taking(LIST_PARAMETERS) },
    required: ['resource'],
    toRequest: ({ text }) => ({ method: 'GET', target: targetOf(text, LIST_PARAMETERS) }),
    toResult: listResult,
    narrow: fewerRecords,
  },
  {
    kind: 'api',
    name: 'get',
    description: 'Get one record by its id.',
    action: 'read',
    resources,
    arguments: { resource, id: { type: 'integer' }, ...taking(RECORD_PARAMETERS) },
    required: ['resource', 'id'],
    toRequest({ text }) {
      const { id = '' } = text;
      // A word could be another path.
      if (!/^[0-9]+$/.test(id)) return recordNotFound(resourceOf(text), id);
      return { method: 'GET', target: targetOf(text, RECORD_PARAMETERS, `/${id}`) };
    },
    toResult: recordResult,
    instead: {
      record_not_found: ({ text }) => ({ tool: 'query', arguments: { resource: resourceOf(text).name } }),
    },
    narrow: fewerFields,
  },
  {
    kind: 'api',
    name: 'aggregate',
    description: 'Count, add up and group all records that match, exactly. Prefer this to adding up pages.',
    action: 'read',
    resources,
    arguments: {
      resource,
      ...taking(AGGREGATE_PARAMETERS),
      sort: {
        type: 'string',
        description: 'order of the groups: value, or a measure, largest first; default: count',
      },
      limit: { type: 'integer', description: 'groups per facet, 1 to 1000; default: 10' },
    },
    required: ['resource'],
    toRequest: ({ text }) => ({ method: 'GET', target: targetOf(text, AGGREGATE_PARAMETERS, '/aggregate') }),
    toResult: aggregateResult,
    narrow: fewerGroups,
  },
  {
    kind: 'api',
    name: 'changes',
    description: 'Records written or removed since a cursor, oldest first.',
    action: 'read',
    resources,
    arguments: { resource, ...taking(CHANGES_PARAMETERS) },
    required: ['resource'],
    toRequest: ({ text }) => ({ method: 'GET', target: targetOf(text, CHANGES_PARAMETERS, '/changes') }),
    toResult: changesResult,
    narrow: fewerRecords,
  },
];

export const toolsOf = memoize((catalog: Catalog): readonly Tool[] => [
  ...readTools,
  ...catalog.resources.filter(({ isCreatable }) => isCreatable).map(createTool),
]);

function createTool(created: Resource): Tool {
  const fields = created.fields.filter(({ name }) => created.creatable.includes(name));
  return {
    kind: 'api',
    name: `create_${created.name}`,
    description: `Create a ${created.name}. It cannot be changed or removed later.`,
    action: 'write',
    resources: [created],
    arguments: {
      ...Object.fromEntries(
        fields.map((field) => [field.name, { type: jsonTypeOf(field), description: field.meaning }]),
      ),
      [IDEMPOTENCY_KEY]: {
        type: 'string',
        description: 'to retry a failed call, the key it reported; default: a new one',
      },
    },
    required: fields.filter(({ initial }) => initial.kind === 'required').map(({ name }) => name),
    toRequest({ json, text }) {
      const { [IDEMPOTENCY_KEY]: _, ...record } = json;
      const key = (text[IDEMPOTENCY_KEY] ?? '').replaceAll(/["\\]/g, '\\$&');
      const headers = { 'content-type': 'application/json', 'idempotency-key': `"${key}"` };
      return { method: 'POST', target: apiPath(created), headers, body: JSON.stringify(record) };
    },
    toResult: (reply, given) => createResult(created, reply, given),
    narrow: fewerFields,
  };
}

function jsonTypeOf({ type }: Field): Argument['type'] {
  return JSON_TYPES[valueTypes[type].storage];
}

function taking(parameterNames: readonly ParameterName[]): Readonly<Record<string, Argument>> {
  // A tool returns text for a model.
  const names = parameterNames.filter((name) => name !== 'format');
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: ARGUMENT_TYPES[name] ?? 'string',
        description: MEANINGS[name] ?? parameters[name].meaning.replaceAll('`', ''),
      },
    ]),
  );
}

function resourceOf({ resource: name = '' }: Arguments['text']): ResourceOutline {
  const found = findResource(name);
  if (found === undefined) throw new Error(`the arguments were not checked: there is no resource ${name}`);
  return found;
}

function targetOf(text: Arguments['text'], names: readonly ParameterName[], below = ''): string {
  const query = names.flatMap((name) => {
    const value = text[name];
    return value === undefined ? [] : [`${name}=${encode(value)}`];
  });
  return `${apiPath(resourceOf(text))}${below}?${query.join('&')}`;
}
