/** The query parameters of each kind of request, from the table of parameters. */

import { findField } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { type Operator, operators } from '../filter/operators.ts';
import { STREAM_PAGE } from '../plan/changes.ts';
import { DEFAULT_LIMIT, DEFAULT_PAGE, MAX_LIMIT, MAX_PAGE } from '../plan/page.ts';
import { type AccountKind, accountEndpoints, resourceEndpoints } from '../request/endpoints.ts';
import { type ParameterName, parameters } from '../request/parameters.ts';
import type { ResourceEndpoint } from '../request/route.ts';
import type { JsonObject } from './json.ts';

const schemas: Partial<Record<ParameterName, JsonObject>> = {
  page: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  explain: { type: 'boolean', default: false },
  replace: { type: 'boolean', default: false },
  confirm: { type: 'boolean', default: false },
  dry_run: { type: 'boolean', default: false },
  on_error: { type: 'string', enum: ['stop', 'skip'], default: 'stop' },
  map: { type: 'array', items: { type: 'string' } },
  ignore_unknown: { type: 'boolean', default: false },
  decimal: { type: 'string', enum: ['.', ','] },
  delimiter: { type: 'string', enum: [',', ';', '|', 'tab'] },
  empty_text: { type: 'string', enum: ['null', 'keep'] },
};

export function queryParameters(kind: ResourceEndpoint['kind'], resource: Resource): readonly JsonObject[] {
  // Without `format`: a response in another format is not what the document describes.
  const names = resourceEndpoints[kind].parameters.filter((name) => name !== 'format');
  return names.map((name) => ({
    name,
    in: 'query',
    required: false,
    description: descriptionOf(name, kind, resource),
    schema: name === 'sort' && kind === 'aggregate' ? SORTED_GROUPS : (schemas[name] ?? { type: 'string' }),
    ...exampleOf(name, kind, resource),
  }));
}

/** Those of imports: as many of them as there can be are one page. */
export function accountQueryParameters(kind: AccountKind): readonly JsonObject[] {
  const row = accountEndpoints[kind];
  const names: readonly ParameterName[] = 'parameters' in row ? row.parameters : [];
  return names.map((name) => ({
    name,
    in: 'query',
    required: false,
    description:
      name === 'limit' ? `imports per page, 1 to ${MAX_LIMIT}; default: ${MAX_LIMIT}` : parameters[name].meaning,
    schema: name === 'limit' ? { ...schemas.limit, default: MAX_LIMIT } : (schemas[name] ?? { type: 'string' }),
  }));
}

const SORTED_GROUPS = { type: 'string', default: 'count' };

function descriptionOf(name: ParameterName, kind: ResourceEndpoint['kind'], resource: Resource): string {
  if (name === 'q') return `${parameters.q.meaning}: ${searchedFields(resource)}. ${SEARCH}`;
  if (name === 'filter') return `${parameters.filter.meaning}. ${FILTER_LANGUAGE}`;
  if (kind === 'changes' && name === 'fields') return `${parameters.fields.meaning}. They have to include \`id\``;
  if (kind === 'changes' && name === 'limit')
    return `changes per page, 1 to 1000; default: 10. As lines: changes in all; default: all there are. As events: changes per event, up to ${STREAM_PAGE}`;
  if (name === 'since')
    return `${parameters.since.meaning}. \`fields\`, \`q\` and \`filter\` have to be those of the request that returned it`;
  if (kind !== 'aggregate') return parameters[name].meaning;
  if (name === 'sort')
    return '`count` for the largest groups first, or one of the `measures`, `value` for the order of values; default: `count`';
  return name === 'limit' ? 'groups per facet, 1 to 1000; default: 10' : parameters[name].meaning;
}

function searchedFields({ fields }: Resource): string {
  const names = fields.flatMap(({ name, searched }) => (searched ? [`\`${name}\``] : []));
  return new Intl.ListFormat('en-GB').format(names);
}

const SEARCH =
  'Case does not matter, and parts of words are found. A word with a digit also finds codes regardless of `-`, `/`, `.` and spaces: `chr00012` finds `CHR-00012`.';

const FILTER_LANGUAGE = [
  'A condition is a field, an operator and a value. `&` joins conditions that must all hold, `|` those of which one must hold; `&` binds tighter, and `( )` groups.',
  'A value with special characters is quoted: `name="A & B"`. `null` is null.\n',
  ...Object.values<Operator>(operators).map(
    ({ symbol, meaning, example }) => `- \`${symbol}\`: ${meaning}; \`${example}\``,
  ),
].join('\n');

/** Readers send their first request with them, so it should find something. */
const WITH_EXAMPLE: readonly ParameterName[] = ['fields', 'filter', 'sort', 'measures', 'facets'];

/** The examples of the table are about products; those of other resources use the fields that all of them have. */
function exampleOf(name: ParameterName, kind: ResourceEndpoint['kind'], resource: Resource): JsonObject {
  // Nobody should change anything by sending the example.
  if (name === 'dry_run') return { example: true };
  if (!WITH_EXAMPLE.includes(name) || (name === 'sort' && kind === 'aggregate')) return {};
  const isProduct = findField(resource, 'list_price') !== undefined;
  const general: Partial<Record<ParameterName, string>> = {
    fields: 'id,name,write_date',
    filter: 'name*a&create_date>=2026-01-01',
    sort: '-write_date,name',
    measures: 'count,max(write_date)',
    facets: 'create_date:month',
  };
  return { example: (isProduct ? undefined : general[name]) ?? parameters[name].example };
}
