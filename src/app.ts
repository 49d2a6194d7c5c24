/**
 * The application: the way of a request, stage by stage. `http/` brings the requests here.
 *
 *     access    host and key to a grant: which account, and what may be done there
 *     request   raw query string to parameters, syntax only
 *     plan      names looked up in the catalog, values typed, limits applied
 *     store     one statement, one snapshot
 *     reply     what was found to bytes and headers
 *
 * A stage gives its result or a problem, and the first problem is the answer.
 */

import { type Credentials, type Grant, grantAccess, keyNotAccepted, requireScope } from './access/grant.ts';
import type { KeyUse } from './access/key-use.ts';
import type { RateLimiter } from './access/rate-limiter.ts';
import { fieldNames, type Resource } from './catalog/resource.ts';
import type { Emit } from './events.ts';
import { ExportSlots } from './export-slots.ts';
import { planCreate } from './plan/create.ts';
import { planExport, planList } from './plan/list.ts';
import { planRecord, recordNotFound } from './plan/record.ts';
import { Problem } from './problem/problem.ts';
import { entityTag, tagMatches } from './reply/entity-tag.ts';
import { exportReply, streamNeedsChunks } from './reply/export.ts';
import { listReply } from './reply/list.ts';
import { createdReply, recordReply } from './reply/record.ts';
import { notModified, type Reply } from './reply/reply.ts';
import { type LineFormat, listFormat } from './request/accept.ts';
import { type Given, LIST_PARAMETERS, NO_PARAMETERS, RECORD_PARAMETERS } from './request/parameters.ts';
import { readQuery } from './request/query-string.ts';
import type { Account, Scope, Store } from './store/store.ts';

/** A request that has been let in. */
export interface Call {
  readonly grant: Grant;
  readonly resource: Resource;
  readonly requestId: string;
  /** The raw query string. */
  readonly query: string;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  /** Whether the connection carries bodies in chunks, so that their end can be seen. */
  readonly isChunked: boolean;
}

export interface Parts {
  readonly store: Store;
  readonly keyUse: KeyUse;
  readonly limiter: RateLimiter;
  /** Under which each account has its host. */
  readonly domain: string;
  readonly emit: Emit;
}

export class App {
  readonly #store: Store;
  readonly #keyUse: KeyUse;
  readonly #limiter: RateLimiter;
  readonly #domain: string;
  readonly #emit: Emit;
  readonly #exports = new ExportSlots();

  constructor(parts: Parts) {
    this.#store = parts.store;
    this.#keyUse = parts.keyUse;
    this.#limiter = parts.limiter;
    this.#domain = parts.domain;
    this.#emit = parts.emit;
  }

  /** Throws where the store cannot answer. */
  checkStore(): Promise<void> {
    return this.#store.check();
  }

  async admit(credentials: Credentials): Promise<Grant | Problem> {
    const now = new Date().toISOString();
    const grant = await grantAccess(credentials, this.#store.keys, this.#domain, now);
    if (!(grant instanceof Problem)) this.#keyUse.note(grant.keyId, now);
    return grant;
  }

  /** What there is to say against a request that was let in, before its parameters are read. */
  permit(grant: Grant, scope: Scope): Problem | undefined {
    return requireScope(grant, scope) ?? this.#limiter.take(grant.keyId, Date.now());
  }

  async list(call: Call): Promise<Reply | Problem> {
    const format = listFormat(call.accept);
    if (format instanceof Problem) return format;
    const given = readQuery(call.query, LIST_PARAMETERS, fieldNames(call.resource));
    if (given instanceof Problem) return given;
    return format.kind === 'json' ? this.#page(call, given) : this.#export(call, given, format);
  }

  async #page({ grant: { account }, resource, ifNoneMatch }: Call, given: Given): Promise<Reply | Problem> {
    const plan = planList(resource, given);
    if (plan instanceof Problem) return plan;
    const unchanged = ifNoneMatch && (await this.#unchanged(account, resource, ifNoneMatch));
    if (unchanged) return unchanged;
    const page = await this.#store.records.list(account.id, plan);
    return page === undefined ? keyNotAccepted() : listReply(page, plan, entityTag(account, page.revision));
  }

  /** The same list as a stream: whole, unless a page is asked for. */
  async #export(
    { grant: { account }, resource, requestId, ifNoneMatch, isChunked }: Call,
    given: Given,
    format: LineFormat,
  ): Promise<Reply | Problem> {
    const plan = planExport(resource, given, format);
    if (plan instanceof Problem) return plan;
    if (!isChunked) return streamNeedsChunks();
    const unchanged = ifNoneMatch && (await this.#unchanged(account, resource, ifNoneMatch, format));
    if (unchanged) return unchanged;
    const found = await this.#exports.begin(
      () => this.#store.records.export(account.id, plan),
      (error) => this.#emit({ kind: 'stream broken', requestId, error }),
    );
    if (found instanceof Problem) return found;
    return found === undefined
      ? keyNotAccepted()
      : exportReply(found, plan, entityTag(account, found.revision, format));
  }

  /** A 304 where nothing was written since. Nothing where the answer has to be made. */
  async #unchanged(
    account: Account,
    resource: Resource,
    ifNoneMatch: string,
    format?: LineFormat,
  ): Promise<Reply | Problem | undefined> {
    const revision = await this.#store.records.revision(account.id, resource);
    // The account was removed while the request was under way.
    if (revision === undefined) return keyNotAccepted();
    const tag = entityTag(account, revision, format);
    return tagMatches(ifNoneMatch, tag) ? notModified(tag) : undefined;
  }

  async record({ grant: { account }, resource, query, ifNoneMatch }: Call, id: string): Promise<Reply | Problem> {
    const given = readQuery(query, RECORD_PARAMETERS);
    if (given instanceof Problem) return given;
    const plan = planRecord(resource, id, given);
    if (plan instanceof Problem) return plan;
    const found = await this.#store.records.find(account.id, plan);
    if (found === undefined) return recordNotFound(resource, id);
    const tag = entityTag(account, found.revision);
    return ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag) ? notModified(tag) : recordReply(found, tag);
  }

  async create({ grant: { account }, resource, query }: Call, body: unknown): Promise<Reply | Problem> {
    const given = readQuery(query, NO_PARAMETERS);
    if (given instanceof Problem) return given;
    if (body instanceof Problem) return body;
    const plan = planCreate(resource, body, new Date().toISOString());
    if (plan instanceof Problem) return plan;
    const created = await this.#store.records.create(account.id, plan);
    switch (created) {
      case 'no such account':
        return keyNotAccepted();
      case 'ids exhausted':
        return new Problem('ids_exhausted', `The ${resource.plural} of this account have used up the identifiers.`);
      default:
        return createdReply(resource, created);
    }
  }
}
