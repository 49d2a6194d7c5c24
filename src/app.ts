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

import { type Credentials, type Grant, keyNotAccepted, requireScope } from './access/grant.ts';
import { type Admission, Grants, type Recalled } from './access/grants.ts';
import type { KeyUse } from './access/key-use.ts';
import type { RateLimiter } from './access/rate-limiter.ts';
import { fieldNames, type Resource } from './catalog/resource.ts';
import type { Emit } from './events.ts';
import { ExportSlots } from './export-slots.ts';
import { planCreate } from './plan/create.ts';
import { planExport, planList } from './plan/list.ts';
import type { CreatePlan } from './plan/plan.ts';
import { planRecord, recordNotFound } from './plan/record.ts';
import { Problem } from './problem/problem.ts';
import { entityTag, tagMatches } from './reply/entity-tag.ts';
import { exportReply, streamNeedsChunks } from './reply/export.ts';
import { KeptReplies, type Moment } from './reply/kept-replies.ts';
import { listReply } from './reply/list.ts';
import { createdReply, recordReply } from './reply/record.ts';
import { notModified, type Reply } from './reply/reply.ts';
import { type LineFormat, listFormat } from './request/accept.ts';
import { LIST_PARAMETERS, NO_PARAMETERS, RECORD_PARAMETERS } from './request/parameters.ts';
import { readQuery } from './request/query-string.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { LedgerEntry, Scope, Store } from './store/store.ts';

/** What is asked, and how the answer is to be. */
export interface Question {
  readonly resource: Resource;
  readonly requestId: string;
  /** The raw query string. */
  readonly query: string;
  readonly ifNoneMatch: string | undefined;
  readonly accept: string | undefined;
  /** Whether the connection carries bodies in chunks, so that their end can be seen. */
  readonly isChunked: boolean;
  readonly stopwatch: Stopwatch;
}

/** A request that has been let in. */
export interface Call extends Question {
  readonly grant: Admission;
}

export interface Parts {
  readonly store: Store;
  readonly keyUse: KeyUse;
  readonly limiter: RateLimiter;
  /** Under which each account has its host. */
  readonly domain: string;
  readonly emit: Emit;
  /** How many bytes of answers are kept. */
  readonly cacheSize: number;
}

export class App {
  readonly #store: Store;
  readonly #keyUse: KeyUse;
  readonly #limiter: RateLimiter;
  readonly #grants: Grants;
  readonly #emit: Emit;
  readonly #replies: KeptReplies;
  readonly #exports = new ExportSlots();

  constructor(parts: Parts) {
    this.#store = parts.store;
    this.#keyUse = parts.keyUse;
    this.#limiter = parts.limiter;
    this.#grants = new Grants(parts.store, parts.domain);
    this.#emit = parts.emit;
    this.#replies = new KeptReplies(parts.cacheSize);
  }

  /** Throws where the store cannot answer. */
  checkStore(): Promise<void> {
    return this.#store.check();
  }

  async admit(credentials: Credentials): Promise<Admission | Problem> {
    const now = Date.now();
    const admission = await this.#grants.admit(credentials, now);
    if (!(admission instanceof Problem)) this.#keyUse.note(admission.keyId, now);
    return admission;
  }

  /**
   * The grant that these credentials were given before. Whether it still holds is left to the statement that does the work,
   * in `recordAtOnce` and `createAtOnce`. On a server to look first is a round trip; on any engine each record that is
   * created makes the next look a real one.
   */
  recall(credentials: Credentials, scope: Scope): Recalled | undefined {
    const isWorthwhile = this.#store.isRemote || scope === 'write';
    return isWorthwhile ? this.#grants.recall(credentials, Date.now()) : undefined;
  }

  /** What there is to say against a request that was let in, before its parameters are read. */
  permit(grant: Grant, scope: Scope): Problem | undefined {
    return requireScope(grant, scope) ?? this.#limiter.take(grant.keyId, Date.now());
  }

  async list(call: Call): Promise<Reply | Problem> {
    const format = listFormat(call.accept);
    if (format instanceof Problem) return format;
    if (format.kind !== 'json') return this.#export(call, format);
    return await this.#keptOr(call, `?${call.query}`, () => this.#page(call));
  }

  async #page({ grant, resource, query, ifNoneMatch, stopwatch }: Call): Promise<Made | Problem> {
    const given = readQuery(query, LIST_PARAMETERS, fieldNames(resource));
    if (given instanceof Problem) return given;
    const plan = planList(resource, given);
    if (plan instanceof Problem) return plan;
    stopwatch.lap('plan');
    const { account } = grant;
    const moment = momentOf(grant, resource);
    const tag = entityTag(account, moment.revision);
    if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag)) return { reply: notModified(tag), moment };
    const page = await this.#store.records.list(account.id, plan, ledgerOf(grant, resource));
    stopwatch.lap('store');
    if (page === undefined) return keyNotAccepted();
    stopwatch.note(page.source);
    const { revision } = page;
    return { reply: listReply(page, plan, entityTag(account, revision)), moment: { ...moment, revision } };
  }

  /** The same list as a stream: whole, unless a page is asked for. */
  async #export(
    { grant, resource, query, requestId, ifNoneMatch, isChunked, stopwatch }: Call,
    format: LineFormat,
  ): Promise<Reply | Problem> {
    const given = readQuery(query, LIST_PARAMETERS, fieldNames(resource));
    if (given instanceof Problem) return given;
    const plan = planExport(resource, given, format);
    if (plan instanceof Problem) return plan;
    stopwatch.lap('plan');
    const { account } = grant;
    if (!isChunked) return streamNeedsChunks();
    const tag = entityTag(account, momentOf(grant, resource).revision, format);
    if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag)) return notModified(tag);
    const found = await this.#exports.begin(
      () => this.#store.records.export(account.id, plan),
      (error) => this.#emit({ kind: 'stream broken', requestId, error }),
    );
    stopwatch.lap('store');
    if (found instanceof Problem) return found;
    if (found === undefined) return keyNotAccepted();
    stopwatch.note(found.source);
    return exportReply(found, plan, entityTag(account, found.revision, format));
  }

  record(call: Call, id: string): Promise<Reply | Problem> {
    return this.#keptOr(call, recordOf(call, id), () => this.#record(call, id));
  }

  /** The record, and nothing where there is anything else to say: whoever asked has to be let in for that. */
  async recordAtOnce(grant: Recalled, question: Question, id: string): Promise<Reply | undefined> {
    const { resource, query, ifNoneMatch, stopwatch } = question;
    if (this.#replies.isAskedAgain(nameOf(grant, resource, recordOf(question, id)))) return undefined;
    const given = readQuery(query, RECORD_PARAMETERS);
    if (given instanceof Problem) return undefined;
    const plan = planRecord(resource, id, given);
    if (plan instanceof Problem) return undefined;
    stopwatch.lap('plan');
    const found = await this.#store.records.find(grant.account.id, plan, grant);
    stopwatch.lap('store');
    if (found === undefined) return undefined;
    this.#keyUse.note(grant.keyId, Date.now());
    return unlessMatched(recordReply(found, entityTag(grant.account, found.revision)), ifNoneMatch);
  }

  async #record({ grant, resource, query, stopwatch }: Call, id: string): Promise<Made | Problem> {
    const given = readQuery(query, RECORD_PARAMETERS);
    if (given instanceof Problem) return given;
    const plan = planRecord(resource, id, given);
    if (plan instanceof Problem) return plan;
    stopwatch.lap('plan');
    const found = await this.#store.records.find(grant.account.id, plan);
    stopwatch.lap('store');
    if (found === undefined) return recordNotFound(resource, id);
    const reply = recordReply(found, entityTag(grant.account, found.revision));
    return { reply, moment: momentOf(grant, resource) };
  }

  /** The answer that was given to the same question before, where nothing was written since. */
  async #keptOr(
    { grant, resource, ifNoneMatch, stopwatch }: Call,
    question: string,
    make: () => Promise<Made | Problem>,
  ): Promise<Reply | Problem> {
    const name = nameOf(grant, resource, question);
    const kept = this.#replies.get(name, momentOf(grant, resource));
    if (kept !== undefined) {
      stopwatch.note('kept');
      return unlessMatched(kept, ifNoneMatch);
    }
    const made = await make();
    if (made instanceof Problem) return made;
    this.#replies.keep(name, made.moment, made.reply);
    return unlessMatched(made.reply, ifNoneMatch);
  }

  /** What was created, and nothing where there is anything else to say. */
  async createAtOnce(grant: Recalled, question: Question, body: unknown): Promise<Reply | undefined> {
    const { resource, stopwatch } = question;
    const plan = planOf(question, body);
    if (plan instanceof Problem) return undefined;
    stopwatch.lap('plan');
    const created = await this.#store.records.create(grant.account.id, plan, grant);
    stopwatch.lap('store');
    if (typeof created === 'string') return undefined;
    this.#keyUse.note(grant.keyId, Date.now());
    return createdReply(resource, created);
  }

  async create(call: Call, body: unknown): Promise<Reply | Problem> {
    const plan = planOf(call, body);
    if (plan instanceof Problem) return plan;
    const { grant, resource, stopwatch } = call;
    stopwatch.lap('plan');
    const created = await this.#store.records.create(grant.account.id, plan);
    stopwatch.lap('store');
    switch (created) {
      case 'no such account':
      case 'not as presumed':
        return keyNotAccepted();
      case 'ids exhausted':
        return new Problem('ids_exhausted', `The ${resource.plural} of this account have used up the identifiers.`);
      default:
        return createdReply(resource, created);
    }
  }
}

function planOf({ resource, query }: Question, body: unknown): CreatePlan | Problem {
  const given = readQuery(query, NO_PARAMETERS);
  if (given instanceof Problem) return given;
  return body instanceof Problem ? body : planCreate(resource, body, new Date().toISOString());
}

/** An answer, and the moment of which it is. */
interface Made {
  readonly reply: Reply;
  readonly moment: Moment;
}

function recordOf({ query }: Question, id: string): string {
  return `/${id}?${query}`;
}

/** Under which an answer is kept. */
function nameOf({ account }: Grant, { name }: Resource, question: string): string {
  return `${account.id} ${name}${question}`;
}

/** The moment at which the request was let in. */
function momentOf(grant: Admission, resource: Resource): Moment {
  return { revision: ledgerOf(grant, resource).revision, epoch: grant.stamp.epoch };
}

function ledgerOf({ stamp }: Admission, { name }: Resource): LedgerEntry {
  return stamp.ledger.get(name) ?? { revision: 0, rows: 0 };
}

function unlessMatched(reply: Reply, ifNoneMatch: string | undefined): Reply {
  const tag = reply.headers['etag'];
  return ifNoneMatch !== undefined && tag !== undefined && tagMatches(ifNoneMatch, tag) ? notModified(tag) : reply;
}
