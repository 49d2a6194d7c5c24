/** What became of imports, and how far sources were read. */

import { findResource } from '../catalog/catalog.ts';
import type { ResourceOutline } from '../catalog/resource.ts';
import type { Imported, ImportPlan } from '../import/import-plan.ts';
import { interrupted, resultMembers } from '../import/import-problem.ts';
import type { PageSelection } from '../plan/plan.ts';
import { type Problem, problemMembers } from '../problem/problem.ts';
import type { Query } from '../request/parameters.ts';
import type { Clock } from '../schedule/clock.ts';
import type { Account, ImportPage, ImportRecord, Source } from '../store/store.ts';
import { cursorAt, printCursor } from './cursor.ts';
import { pageLinks } from './links.ts';
import { paginationOf } from './list.ts';
import { jsonReply, type TextReply } from './reply.ts';

const NOT_STORED = { 'cache-control': 'no-store' };

const IMPORTS_PATH = '/api/v1/imports';

/** `refusal` is why it would not be made, if it was a dry run. */
export function importReply(
  account: Account,
  { resource, dryRun }: ImportPlan,
  result: Imported,
  refusal?: Problem,
): TextReply {
  const { created, updated, unchanged, removed, skipped, version } = result;
  const counts = { created, updated, unchanged, removed, skipped, ...resultMembers(result, dryRun) };
  const data = withCursor(account, resource, { ...counts, ...version });
  return jsonReply(
    200,
    NOT_STORED,
    JSON.stringify({ data: { ...data, ...(refusal && { refusal: problemMembers(refusal) }) } }),
  );
}

/** `result` is what was stored of an import. */
export function replayedImportReply(account: Account, resource: ResourceOutline, result: string): TextReply {
  const stored: StoredResult = JSON.parse(result);
  return jsonReply(200, NOT_STORED, JSON.stringify({ data: withCursor(account, resource, stored) }));
}

interface StoredResult {
  readonly generation: number;
  readonly revision: number;
  readonly [name: string]: unknown;
}

function withCursor(account: Account, resource: ResourceOutline, { generation, ...result }: StoredResult): object {
  const cursor = printCursor(cursorAt({ generation, revision: result.revision }), {
    account,
    resource,
    where: undefined,
  });
  return { ...result, cursor };
}

export function acceptedReply(id: string): TextReply {
  const headers = { ...NOT_STORED, location: `${IMPORTS_PATH}/${id}`, 'preference-applied': 'respond-async' };
  return jsonReply(202, headers, JSON.stringify({ data: { id, state: 'running' } }));
}

export function importStatusReply(account: Account, found: ImportRecord): TextReply {
  return jsonReply(200, NOT_STORED, JSON.stringify({ data: importMembers(account, found) }));
}

/** `values` are the parameters of the request. */
export function importListReply(
  account: Account,
  { imports, total }: ImportPage,
  page: PageSelection,
  values: Query['values'],
): TextReply {
  const data = imports.map((one) => importMembers(account, one));
  const pagination = paginationOf(page, total);
  const headers = { ...NOT_STORED, ...pageLinks(IMPORTS_PATH, values, pagination) };
  return jsonReply(200, headers, JSON.stringify({ data, meta: { count: data.length, total }, pagination }));
}

function importMembers(account: Account, { result, ...found }: ImportRecord): object {
  const { id, resource, state, rows, actor, file, source, startedAt, endedAt } = found;
  const members = { id, resource, state, rows, actor, file, source, startedAt, endedAt };
  if (state === 'running') return members;
  if (state === 'failed') return { ...members, problem: result === null ? problemMembers(DIED) : JSON.parse(result) };
  const of = findResource(resource);
  return {
    ...members,
    result: of === undefined || result === null ? null : withCursor(account, of, JSON.parse(result)),
  };
}

const DIED = interrupted('The process that made the import has ended. Nothing was changed.');

export function sourceReply(found: Source, clock: Clock): TextReply {
  return jsonReply(200, NOT_STORED, JSON.stringify({ data: sourceMembers(found, clock) }));
}

export function sourceListReply(found: readonly Source[], clock: Clock): TextReply {
  const data = found.map((source) => sourceMembers(source, clock));
  return jsonReply(200, NOT_STORED, JSON.stringify({ data, meta: { count: found.length } }));
}

/** The clock of the database may be ahead of ours. */
function sourceMembers({ failure, ...found }: Source, clock: Clock): object {
  const { checkedAt } = found;
  const lag = checkedAt === null ? null : Math.max(0, Math.floor((clock.wall() - Date.parse(checkedAt)) / 1_000));
  return { ...found, lag, failure };
}
