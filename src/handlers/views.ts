/** Saved views: every key reads them, and those with the scope `write` save and remove them. */

import { isViewId, type NewView, planView } from '../plan/view.ts';
import { viewQueryFlaw } from '../plan/view-query.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { removedReply } from '../reply/record.ts';
import { unlessMatched } from '../reply/reply.ts';
import { readViewTags, savedViewReply, viewListReply, viewReply, viewTag } from '../reply/view.ts';
import { checkNoBody, readJsonBody } from '../request/body.ts';
import { readIfMatch } from '../request/if-match.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type ExpectedVersion, MAX_VIEW_CHARACTERS, MAX_VIEWS, type SavedView } from '../store/store.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function listViews(call: Call): Promise<Outcome> {
  const { request, session, service } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const found = await service.store.views.list(callerOf(call));
  if (found === 'no access') return found;
  return unlessMatched(viewListReply(session, found), request.headers['if-none-match']);
}

export async function view(call: Call, id: string): Promise<Outcome> {
  const { request, session, service } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const found = isViewId(id) ? await service.store.views.find(callerOf(call), id) : undefined;
  if (found === 'no access') return found;
  if (found === undefined) return viewNotFound(id);
  return unlessMatched(viewReply(session, found), request.headers['if-none-match']);
}

export async function saveView(call: Call, id: string): Promise<Outcome> {
  const { request, session, service, timing } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const body = await readJsonBody(request, call.turn);
  if (body instanceof Problem) return body;
  const planned = planView(id, body.json);
  if (planned instanceof Problem) return planned;
  const flaw = await queryFlaw(call, planned);
  if (flaw !== undefined) return flaw;
  timing.end('plan');
  const saved = await service.store.views.save(callerOf(call), planned, expectedVersion(call));
  timing.end('store');
  if (saved === 'no access') return saved;
  switch (saved.kind) {
    case 'saved':
      return savedViewReply(session, saved);
    case 'changed':
      return viewChanged(call, id, saved.view);
    case 'name taken':
      return nameTaken(planned, saved.id);
    case 'too many':
      return new Problem(
        'too_many_views',
        `An account may have ${MAX_VIEWS} views, whose queries have up to ${MAX_VIEW_CHARACTERS.toLocaleString('en')} characters together.`,
      );
  }
}

/** A query that was right when it was saved stays: a field may have been removed since, and the view only gets another name. */
async function queryFlaw(
  call: Call,
  { id, resource: name, query }: NewView,
): Promise<Problem | 'no access' | undefined> {
  const resource = call.session.catalog.find(name);
  const flaw = resource && viewQueryFlaw(resource, query);
  if (flaw === undefined) return undefined;
  const saved = await call.service.store.views.find(callerOf(call), id);
  if (saved === 'no access') return saved;
  return saved?.query === query && saved.resource === name ? undefined : flaw;
}

export async function removeView(call: Call, id: string): Promise<Outcome> {
  const { request, service } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const problem = await checkNoBody(request);
  if (problem !== undefined) return problem;
  if (!isViewId(id)) return viewNotFound(id);
  const removed = await service.store.views.remove(callerOf(call), id, expectedVersion(call));
  if (removed === 'no access') return removed;
  switch (removed.kind) {
    case 'removed':
      return removedReply();
    case 'not found':
      return viewNotFound(id);
    case 'changed':
      return viewChanged(call, id, removed.view);
  }
}

function expectedVersion({ request, session }: Call): ExpectedVersion | undefined {
  const tags = readIfMatch(request.headers['if-match']);
  return tags === undefined || tags === '*' ? tags : readViewTags(session, tags);
}

function viewNotFound(id: string): Problem {
  return new Problem('view_not_found', `There is no view with the id ${quoted(id)}.`);
}

function viewChanged({ session }: Call, id: string, found: SavedView | undefined): Problem {
  if (found === undefined) return new Problem('view_changed', `There is no view with the id ${quoted(id)} any more.`);
  const tag = viewTag(session, found);
  return new Problem('view_changed', `The view ${quoted(id)} does not have the entity tag in If-Match.`, {
    members: { etag: tag },
    headers: { etag: tag },
  });
}

function nameTaken({ name, resource }: NewView, by: string): Problem {
  return new Problem('view_name_taken', `Another view of ${resource} is called ${quoted(name)}: ${by}.`, {
    parameter: 'name',
    suggestion: `Choose another name, or change that view with PUT /api/v1/views/${by}.`,
  });
}
