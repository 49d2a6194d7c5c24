/** Imports as they are listed, and the positions of sources. A key sees those of the resources that it may edit. */

import { findResource, resources } from '../catalog/catalog.ts';
import { permits } from '../catalog/scopes.ts';
import { MAX_LIMIT, planPage } from '../plan/page.ts';
import { planReport } from '../plan/source-report.ts';
import { Problem, problemMembers } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { importListReply, importStatusReply, sourceListReply, sourceReply } from '../reply/import.ts';
import { checkNoBody, readJsonBody } from '../request/body.ts';
import { NO_PARAMETERS, PAGE_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import type { ImportRecord, Source } from '../store/store.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function listImports(call: Call): Promise<Outcome> {
  const query = readQuery(call.request.target.query, PAGE_PARAMETERS);
  if (query instanceof Problem) return query;
  const page = planPage(query, MAX_LIMIT);
  if (page instanceof Problem) return page;
  const editable = resources.filter((resource) => permits(call.session.scopes, 'edit', resource));
  const found = await call.service.store.imports.list(callerOf(call), editable, page);
  return found === 'no access' ? found : importListReply(call.session.account, found, page, query.values);
}

export async function importStatus(call: Call, id: string): Promise<Outcome> {
  const found = await findImport(call, id);
  if (found === 'no access' || found instanceof Problem) return found;
  return importStatusReply(call.session.account, found);
}

/** Until its rows are committed. */
export async function cancelImport(call: Call, id: string): Promise<Outcome> {
  const problem = await checkNoBody(call.request);
  if (problem !== undefined) return problem;
  const found = await findImport(call, id);
  if (found === 'no access' || found instanceof Problem) return found;
  const { account, keyId } = call.session;
  const reason = new Problem('import_cancelled', `The key ${keyId} has cancelled the import. Nothing was changed.`);
  const isCancelled = await call.service.store.imports.fail(account.id, id, JSON.stringify(problemMembers(reason)));
  if (isCancelled) return { status: 204, headers: {} };
  return new Problem('import_ended', `The import ${quoted(id)} has ended.`);
}

export async function listSources(call: Call): Promise<Outcome> {
  const query = readQuery(call.request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const found = await call.service.store.imports.sources(callerOf(call));
  if (found === 'no access') return found;
  return sourceListReply(
    found.filter((one) => mayEdit(call, one)),
    call.service.clock,
  );
}

export async function source(call: Call, name: string): Promise<Outcome> {
  const query = readQuery(call.request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const found = await findSource(call, name);
  return found === 'no access' || found instanceof Problem ? found : sourceReply(found, call.service.clock);
}

/** What a connector says about its source: that everything has been imported, or what it fails with. */
export async function reportSource(call: Call, name: string): Promise<Outcome> {
  const query = readQuery(call.request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const body = await readJsonBody(call.request, call.turn);
  if (body instanceof Problem) return body;
  const error = planReport(body.json);
  if (error instanceof Problem) return error;
  const found = await findSource(call, name);
  if (found === 'no access' || found instanceof Problem) return found;
  const reported = await call.service.store.imports.reportSource(callerOf(call), name, error);
  if (reported === 'no access') return reported;
  return reported === undefined ? sourceNotFound(name) : sourceReply(reported, call.service.clock);
}

/** Whoever imports from it again begins anew. */
export async function removeSource(call: Call, name: string): Promise<Outcome> {
  const { request, session, service } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const problem = await checkNoBody(request);
  if (problem !== undefined) return problem;
  const found = await findSource(call, name);
  if (found === 'no access' || found instanceof Problem) return found;
  const by = { name: `key ${session.keyId}`, origin: request.address };
  const isRemoved = await service.store.imports.removeSource(callerOf(call), found, by);
  if (isRemoved === 'no access') return isRemoved;
  return isRemoved ? { status: 204, headers: {} } : sourceNotFound(name);
}

async function findSource(call: Call, name: string): Promise<Source | Problem | 'no access'> {
  const found = isName(name) ? await call.service.store.imports.source(callerOf(call), name) : undefined;
  if (found === 'no access') return found;
  return found !== undefined && mayEdit(call, found) ? found : sourceNotFound(name);
}

function sourceNotFound(name: string): Problem {
  return new Problem('source_not_found', `There is no source ${quoted(name)}.`);
}

async function findImport(call: Call, id: string): Promise<ImportRecord | Problem | 'no access'> {
  const query = readQuery(call.request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const found = isName(id) ? await call.service.store.imports.find(callerOf(call), id) : undefined;
  if (found === 'no access') return found;
  if (found !== undefined && mayEdit(call, found)) return found;
  return new Problem('import_not_found', `There is no import ${quoted(id)}.`);
}

/** No database stores NUL in a text. */
function isName(text: string): boolean {
  return !text.includes('\0');
}

function mayEdit({ session }: Call, { resource: name }: { readonly resource: string }): boolean {
  const resource = findResource(name);
  return resource !== undefined && permits(session.scopes, 'edit', resource);
}
