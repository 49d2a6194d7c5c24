/** What was written since the client last asked. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { planChanges } from '../plan/changes.ts';
import type { Cursor } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { changeEvents, changeLines, changesReply, cursorExpired } from '../reply/changes.ts';
import { readCursor } from '../reply/cursor.ts';
import { streamNeedsChunks } from '../reply/export.ts';
import { withPreference } from '../reply/reply.ts';
import { changesFormat } from '../request/accept.ts';
import { CHANGES_PARAMETERS } from '../request/parameters.ts';
import { preferredWait } from '../request/prefer.ts';
import { readQuery } from '../request/query-string.ts';
import type { Changes } from '../store/store.ts';
import { type Call, callerOf, type Outcome, waitFor } from './handler.ts';

/** How many changes a stream reads at once, unless the client says so. */
const STREAM_LIMIT = 1_000;

/** How long an event stream is silent at most, in seconds. */
const HEARTBEAT_INTERVAL = 15;

export async function changes(call: Call, resource: Resource): Promise<Outcome> {
  const { request, target, session, timing } = call;
  const format = changesFormat(request.headers.accept);
  if (format instanceof Problem) return format;
  const query = readQuery(target.query, CHANGES_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const resumed = format === 'event-stream' ? request.headers['last-event-id'] : undefined;
  const since = resumed || query.values.since;
  const cursor = since === undefined ? undefined : readCursor(since, session.account, resource);
  if (cursor instanceof Problem) return cursor;
  const plan = planChanges(resource, query, cursor);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const isLines = format === 'ndjson' || format === 'ndjson with end';
  const separator = isLines ? 'line break' : 'comma';
  // A stream has everything, whatever the size of its pages.
  const isPaged = format === 'json' || query.values.limit !== undefined;
  const read = (position: Cursor | undefined, limit = isPaged ? plan.limit : STREAM_LIMIT) =>
    call.service.store.records.changes(callerOf(call), { ...plan, limit, cursor: position }, separator);
  let found = await read(cursor);
  const wait = format === 'json' ? preferredWait(request.headers.prefer) : 0;
  if (wait > 0 && typeof found === 'object' && found.count === 0) {
    await waitFor(call, resource, found.version, wait);
    found = await read(cursor);
  }
  timing.end('store');
  if (found === 'no access') return found;
  if (found === 'cursor expired') return cursorExpired(resource);
  const of = { account: session.account, resource };
  /** An error breaks the connection, so that a part never looks like the whole. */
  const continued = async (previous: Changes) => {
    try {
      // If pages have to be smaller because their records are large, so do the next ones.
      const page = await read(previous.cursor, previous.more ? previous.count : undefined);
      if (typeof page === 'string') throw new Error(`the stream of changes cannot be continued: ${page}`);
      return page;
    } catch (error) {
      if (!request.deadline.signal.aborted) call.service.emit({ kind: 'stream aborted', requestId: request.id, error });
      throw error;
    }
  };
  switch (format) {
    case 'json':
      return withPreference(changesReply(found, of), wait);
    case 'ndjson':
    case 'ndjson with end':
      if (request.httpVersion === '1.0') return streamNeedsChunks();
      return changeLines(found, of, continued, format === 'ndjson with end');
    case 'event-stream':
      if (request.httpVersion === '1.0') return streamNeedsChunks();
      return changeEvents(found, of, async (previous) => {
        if (!previous.more) await waitFor(call, resource, previous.version, HEARTBEAT_INTERVAL);
        const isOver = request.deadline.signal.aborted || call.service.isStopping() || Date.now() >= session.expiresAt;
        return isOver ? undefined : continued(previous);
      });
  }
}
