/** A request of the API: its route, whether the key permits it, and the handler. A tool call of an AI agent comes here too. */

import { requireScope } from '../access/authenticate.ts';
import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { withOtherParameters } from '../reply/problem.ts';
import { optionsReply } from '../reply/reply.ts';
import { readQueryBody } from '../request/body.ts';
import { LONG_INPUT } from '../request/long-input.ts';
import { requiredScopes } from '../request/required-scopes.ts';
import {
  type AccountEndpoint,
  type ApiEndpoint,
  findApiRoute,
  type OptionsRoute,
  type ResourceEndpoint,
  type Route,
} from '../request/route.ts';
import { checkRequestLine } from '../request/target.ts';
import { aggregate } from './aggregate.ts';
import { changes } from './changes.ts';
import { corrected } from './corrected.ts';
import { create } from './create.ts';
import { digest } from './digest.ts';
import { remove, update } from './edit.ts';
import { fields } from './fields.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';
import { importBody } from './import.ts';
import { cancelImport, importStatus, listImports, listSources, removeSource, reportSource, source } from './imports.ts';
import { list } from './list.ts';
import { me } from './me.ts';
import { record } from './record.ts';
import { endBrowserSession, startBrowserSession } from './session.ts';
import { signIn } from './sign-in.ts';
import { listViews, removeView, saveView, view } from './views.ts';

export async function api(call: Call): Promise<Outcome> {
  const { request, session } = call;
  const route = findApiRoute(request.method, request.target);
  if (route instanceof Problem) return route;
  if (route.kind === 'options') return options(call, route);
  const problem = requireScope(session, requiredScopes(route)) ?? checkRequestLine(request);
  if (problem !== undefined) return problem;
  return request.method === 'QUERY' ? query(call, route) : handle(call, route);
}

export async function options(call: Call, { allow }: OptionsRoute): Promise<Outcome> {
  return (await hasAccess(call)) ? optionsReply(allow) : 'no access';
}

/** With `QUERY`, parameters are in the body, in addition to those in the URL. */
async function query(call: Call, route: Route<ApiEndpoint>): Promise<Outcome> {
  const { request } = call;
  const { target } = request;
  const body = await readQueryBody(request);
  if (body instanceof Problem) return body;
  const all = target.query === '' ? body : `${target.query}&${body}`;
  const outcome = await handle({ ...call, request: { ...request, target: { ...target, query: all } } }, route);
  return outcome instanceof Problem ? withOtherParameters(outcome, all) : outcome;
}

async function handle(call: Call, route: Route<ApiEndpoint>): Promise<Outcome> {
  const { query: text } = call.request.target;
  if (!('resource' in route)) {
    if (text.length > LONG_INPUT) await call.turn();
    return ofAccount(call, route);
  }
  const resource = call.session.catalog.of(route.resource);
  call.observed.query = { resource, text };
  if (text.length > LONG_INPUT) await call.turn();
  const outcome = await ofResource(call, route, resource);
  return outcome instanceof Problem ? corrected(outcome, call, route, resource) : outcome;
}

function ofResource(
  call: Call,
  { kind, parameter }: Route<ResourceEndpoint>,
  resource: Resource,
): Outcome | Promise<Outcome> {
  switch (kind) {
    case 'list':
      return list(call, resource);
    case 'record':
      return record(call, resource, parameter);
    case 'changes':
      return changes(call, resource);
    case 'digest':
      return digest(call, resource);
    case 'aggregate':
      return aggregate(call, resource);
    case 'create':
      return create(call, resource);
    case 'update':
      return update(call, resource, parameter);
    case 'remove':
      return remove(call, resource, parameter);
    case 'import':
      return importBody(call, resource);
  }
}

function ofAccount(call: Call, { kind, parameter }: Route<AccountEndpoint>): Outcome | Promise<Outcome> {
  switch (kind) {
    case 'imports':
      return listImports(call);
    case 'import status':
      return importStatus(call, parameter);
    case 'cancel import':
      return cancelImport(call, parameter);
    case 'sources':
      return listSources(call);
    case 'source':
      return source(call, parameter);
    case 'report source':
      return reportSource(call, parameter);
    case 'remove source':
      return removeSource(call, parameter);
    case 'views':
      return listViews(call);
    case 'view':
      return view(call, parameter);
    case 'save view':
      return saveView(call, parameter);
    case 'remove view':
      return removeView(call, parameter);
    case 'me':
      return me(call);
    case 'fields':
      return fields(call);
    case 'sign in':
      return signIn(call);
    case 'start session':
      return startBrowserSession(call);
    case 'end session':
      return endBrowserSession(call);
  }
}
