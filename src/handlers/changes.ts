/** What was written since the client last asked. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { planChanges, STREAM_PAGE } from '../plan/changes.ts';
import type { ChangesPlan, Cursor } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { changeEvents, changeLines, changesReply, cursorExpired } from '../reply/changes.ts';
import { readCursor } from '../reply/cursor.ts';
import { streamNeedsChunks } from '../reply/export.ts';
import { withPreference } from '../reply/reply.ts';
import { type ChangesFormat, changesFormat } from '../request/accept.ts';
import { CHANGES_PARAMETERS, type Query } from '../request/parameters.ts';
import { preferredWait } from '../request/prefer.ts';
import { readQuery } from '../request/query-string.ts';
import { Overloaded } from '../schedule/fair-queue.ts';
import type { Changes, CursorExpired, NoAccess } from '../store/store.ts';
import { type Call, callerOf, type Outcome, waitFor } from './handler.ts';

/** How long a stream waits if the account has too many slow reads, in milliseconds. A random pause of up to the same length is added. */
const RETRY_PAUSE = 500;

/** The maximum time for which an event stream is silent, in seconds. */
const HEARTBEAT_INTERVAL = 15;

export async function changes(call: Call, resource: Resource): Promise<Outcome> {
  const { request, session, timing } = call;
  const query = readQuery(call.request.target.query, CHANGES_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const format = changesFormat(request.headers.accept, query.values.format);
  if (format instanceof Problem) return format;
  const planned = planOf(call, resource, query, format);
  if (planned instanceof Problem) return planned;
  const { plan, limit } = planned;
  call.observed.filter = plan.filter;
  timing.end('plan');
  if (format !== 'json' && request.httpVersion === '1.0') return streamNeedsChunks();
  const feed = new Feed(call, plan, format, limit);
  const wait = format === 'json' ? preferredWait(request.headers.prefer) : 0;
  const found = await feed.first(wait);
  timing.end('store');
  if (found === 'no access') return found;
  if (found === 'cursor expired') return cursorExpired(resource);
  const of = { account: session.account, resource, where: plan.where };
  switch (format) {
    case 'json':
      return withPreference(changesReply(found, of), wait);
    case 'ndjson':
    case 'ndjson with end':
      return changeLines(found, of, (previous) => feed.after(previous), format === 'ndjson with end');
    case 'event-stream':
      return changeEvents(found, of, (previous) => feed.awaitAfter(previous));
  }
}

interface Planned {
  /** Of one page. */
  readonly plan: ChangesPlan;
  /** The maximum number of changes of the whole response. */
  readonly limit: number;
}

function planOf(
  { request, session }: Call,
  resource: Resource,
  query: Query,
  format: ChangesFormat,
): Planned | Problem {
  const resumed = format === 'event-stream' ? request.headers['last-event-id'] : undefined;
  const since = resumed || query.values.since;
  const selection = planChanges(resource, query);
  if (selection instanceof Problem) return selection;
  const of = { account: session.account, resource, where: selection.where };
  const cursor = since === undefined ? undefined : readCursor(since, of);
  if (cursor instanceof Problem) return cursor;
  const plan = { ...selection, cursor };
  const limit = query.values.limit === undefined ? Number.POSITIVE_INFINITY : plan.limit;
  switch (format) {
    case 'json':
      return { plan, limit };
    case 'ndjson':
    case 'ndjson with end':
      return { plan: { ...plan, limit: STREAM_PAGE }, limit };
    // It has no end, so the limit is that of an event.
    case 'event-stream':
      return { plan: { ...plan, limit: Math.min(limit, STREAM_PAGE) }, limit: Number.POSITIVE_INFINITY };
  }
}

/** Pages of changes, one after another. */
class Feed {
  #call: Call;
  readonly #plan: ChangesPlan;
  readonly #format: ChangesFormat;
  /** How many changes the response may still have. */
  #left: number;

  constructor(call: Call, plan: ChangesPlan, format: ChangesFormat, limit: number) {
    this.#call = call;
    this.#plan = plan;
    this.#format = format;
    this.#left = limit;
  }

  /** If there are no changes, waits for some, for this many seconds. */
  async first(wait: number): Promise<Changes | CursorExpired | NoAccess> {
    const { cursor, resource } = this.#plan;
    const found = await this.#read(cursor);
    if (wait === 0 || typeof found === 'string' || found.count > 0 || found.more) return found;
    return (await waitFor(this.#call, resource, found.version, wait)) ?? this.#read(cursor);
  }

  /**
   * Undefined if the response has reached its limit. An error breaks the connection, so that a part never looks like the
   * whole.
   */
  async after(previous: Changes): Promise<Changes | undefined> {
    if (this.#left === 0) return undefined;
    return this.#reported(async () => {
      const page = await this.#readAfter(previous);
      if (typeof page === 'string') throw new Error(`the stream of changes cannot be continued: ${page}`);
      return page;
    });
  }

  /** Undefined if the stream is over. A client that still has access resumes it. */
  async awaitAfter(previous: Changes): Promise<Changes | undefined> {
    const { request, service, session } = this.#call;
    return this.#reported(async () => {
      if (!previous.more) await waitFor(this.#call, this.#plan.resource, previous.version, HEARTBEAT_INTERVAL);
      const isOver = request.deadline.signal.aborted || service.isStopping || !service.sessions.holds(session);
      const page = isOver ? undefined : await this.#readAfter(previous);
      return typeof page === 'string' ? undefined : page;
    });
  }

  /** A page that is smaller than its limit has large records, or few that match. The next ones may be smaller again, or match. */
  async #readAfter(previous: Changes): Promise<Changes | CursorExpired | NoAccess> {
    const { cursor, more, count } = previous;
    const limit = more && count > 0 ? Math.min(2 * count, this.#plan.limit) : this.#plan.limit;
    try {
      const page = await this.#read(cursor, limit);
      // The keys of the account have changed, but maybe not this one.
      return page === 'no access' && (await this.#regrant()) ? await this.#read(cursor, limit) : page;
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
    }
    // Many streams of the account have been woken up at once. This one tries again later.
    const { clock } = this.#call.service;
    const { signal } = this.#call.request.deadline;
    await clock.pause(RETRY_PAUSE * (1 + clock.jitter()), signal);
    signal.throwIfAborted();
    return this.#readAfter(previous);
  }

  /** Whether the client still has access to the account. With other fields, it has to begin another stream. */
  async #regrant(): Promise<boolean> {
    const { request, session, service } = this.#call;
    const granted = await service.sessions.grant(request);
    if (granted instanceof Problem || granted.account.id !== session.account.id) return false;
    if (granted.catalog.version !== this.#plan.resource.version) return false;
    this.#call = { ...this.#call, session: granted };
    return true;
  }

  async #read(cursor: Cursor | undefined, limit = this.#plan.limit): Promise<Changes | CursorExpired | NoAccess> {
    const separator = this.#format === 'ndjson' || this.#format === 'ndjson with end' ? 'line break' : 'comma';
    const plan = { ...this.#plan, limit: Math.min(limit, this.#left), cursor };
    const page = await this.#call.service.store.records.changes(callerOf(this.#call), plan, separator);
    if (typeof page !== 'string') this.#left -= page.count;
    return page;
  }

  /** The response has begun, so an error can only be logged. A client that leaves is not an error. */
  async #reported<Result>(body: () => Promise<Result>): Promise<Result> {
    const { request, service } = this.#call;
    try {
      return await body();
    } catch (error) {
      if (!request.deadline.signal.aborted) service.emit({ kind: 'stream aborted', requestId: request.id, error });
      throw error;
    }
  }
}
