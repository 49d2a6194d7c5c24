/** Responses of the API to what tools return: how much there is, how much of it is shown, and the next call to make. */

import { findResource } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { MAX_LIMIT } from '../plan/page.ts';
import { IDEMPOTENCY_KEY } from './arguments.ts';
import { type JsonObject, visibleJson } from './json.ts';
import { printCall } from './print-call.ts';
import { MAX_RESULT_BYTES, SPARE } from './result-size.ts';
import type { Arguments, Success, ToolResult } from './tool.ts';

interface ListBody {
  readonly data: readonly unknown[];
  readonly meta: {
    readonly count: number;
    readonly total: number;
    readonly conditions?: readonly unknown[];
    readonly words?: readonly unknown[];
  };
  readonly pagination: { readonly currentPage: number; readonly nextPage: number | null; readonly totalPages: number };
}

export function listResult({ headers, body }: Success, given: Arguments): ToolResult {
  const { data, meta, pagination }: ListBody = JSON.parse(body);
  const { count, total, conditions, words } = meta;
  const { currentPage: page, nextPage, totalPages } = pagination;
  const next = nextPage === null ? null : { tool: 'query', arguments: { ...given.json, page: nextPage } };
  const shown =
    total > 0 && count === 0
      ? `Page ${page} is after the last one, ${totalPages}.`
      : `${count} of them are shown: page ${page} of ${totalPages}.`;
  return {
    summary: [
      `${amount(total, given)} match${total === 1 ? 'es' : ''}. ${total === 0 ? '' : shown}`.trim(),
      ...hintLines('query', given, headers),
      ...(next === null ? [] : [`Next page: ${printCall(next)}`]),
      ...(conditions === undefined
        ? []
        : [`Records that meet each condition alone, and all others: ${visibleJson(conditions)}`]),
      ...(words === undefined ? [] : [`Records that have each word alone, and all others: ${visibleJson(words)}`]),
      ...(total === 0 && (given.text['filter'] ?? given.text['q']) !== undefined && conditions === undefined
        ? [
            `To learn which condition excludes them: ${printCall({ tool: 'query', arguments: { ...given.json, explain: true } })}`,
          ]
        : []),
    ],
    data,
    structured: {
      total,
      shown: count,
      page,
      totalPages,
      next,
      ...(conditions && { conditions }),
      ...(words && { words }),
      data,
    },
  };
}

export function recordResult({ body }: Success): ToolResult {
  const { data }: { readonly data: unknown } = JSON.parse(body);
  return { summary: ['1 record.'], data: [data], structured: { data } };
}

interface AggregateBody {
  readonly data: {
    readonly measures: JsonObject;
    readonly facets: Readonly<Record<string, { readonly distinct: number; readonly groups: readonly unknown[] }>>;
  };
  readonly meta: { readonly total: number };
}

export function aggregateResult({ headers, body }: Success, given: Arguments): ToolResult {
  const { data, meta }: AggregateBody = JSON.parse(body);
  const facets = Object.entries(data.facets);
  const partial = facets.filter(([, { distinct, groups }]) => groups.length < distinct);
  const most = Math.max(0, ...partial.map(([, { distinct }]) => distinct));
  const shown = facets.reduce((sum, [, { groups }]) => sum + groups.length, 0);
  // As many as fit into a result.
  const fitting = Math.floor((SPARE * MAX_RESULT_BYTES * shown) / (body.length * Math.max(1, facets.length)));
  const limit = Math.min(most, MAX_LIMIT, fitting);
  const hasMore = partial.some(([, { groups }]) => groups.length < limit);
  const next = hasMore ? { tool: 'aggregate', arguments: { ...given.json, limit } } : null;
  return {
    summary: [
      `${amount(meta.total, given)} match${meta.total === 1 ? 'es' : ''}.`,
      ...hintLines('aggregate', given, headers),
      ...facets.map(([name, { distinct, groups }]) => `${name}: ${groups.length} of ${distinct} groups are shown.`),
      ...(partial.length > 0 ? ['Groups that are not shown are added up in other.'] : []),
      ...(next === null ? [] : [`More groups: ${printCall(next)}`]),
      ...(next === null && partial.length > 0 ? ['More groups do not fit into a result: narrow the filter.'] : []),
    ],
    data: [{ measures: data.measures }, ...facets.map(([facet, found]) => ({ facet, ...found }))],
    structured: { total: meta.total, next, data },
  };
}

interface ChangesBody {
  readonly data: readonly unknown[];
  readonly meta: { readonly count: number; readonly cursor: string; readonly more: boolean };
}

export function changesResult({ body }: Success, given: Arguments): ToolResult {
  const { data, meta }: ChangesBody = JSON.parse(body);
  const { count, cursor, more } = meta;
  const next = { tool: 'changes', arguments: { ...given.json, since: cursor } };
  return {
    summary: [
      `${count} change${count === 1 ? '' : 's'}. ${more ? 'There are more.' : 'These are all there are now.'}`,
      `${more ? 'Next' : 'For later ones'}: ${printCall(next)}`,
    ],
    data,
    structured: { shown: count, more, next, data },
  };
}

export function createResult({ name }: Resource, { headers, body }: Success, { text }: Arguments): ToolResult {
  const { data }: { readonly data: { readonly id: number } } = JSON.parse(body);
  const isReplayed = headers['idempotent-replayed'] !== undefined;
  const key = text[IDEMPOTENCY_KEY];
  const summary = isReplayed
    ? `An earlier call with this ${IDEMPOTENCY_KEY} created the ${name} with the id ${data.id}; this one created nothing.`
    : `Created the ${name} with the id ${data.id}.`;
  return { summary: [summary], structured: { id: data.id, created: !isReplayed, [IDEMPOTENCY_KEY]: key } };
}

/** If the filter was probably meant otherwise. */
function hintLines(tool: string, { json }: Arguments, headers: Success['headers']): readonly string[] {
  const [, text, query] = /^(.*?)(?: Try [^?]*\?(\S*))?$/s.exec(headers['stockbook-hint'] ?? '') ?? [];
  if (text === undefined || text === '') return [];
  const filter = new URLSearchParams(query).get('filter');
  return filter === null ? [text] : [text, `Call instead: ${printCall({ tool, arguments: { ...json, filter } })}`];
}

/** `1 product`, `12 products` */
function amount(count: number, { text }: Arguments): string {
  const resource = findResource(text['resource'] ?? '');
  return `${count} ${count === 1 ? resource?.name : resource?.plural}`;
}
