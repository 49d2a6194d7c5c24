/** What a response means for a write: it was made, it was not, or nobody knows. */

import { createHash } from 'node:crypto';
import type { TestReply } from '../../support/service.ts';
import type { Ask, Outcome } from './history.ts';

/**
 * Errors with a status below 500 promise that nothing was written, and so does this one: docs/writing.md, "Rows that cannot be imported",
 * and docs/api.md, "Creating a partner". After any other 503, the write may have been made.
 */
const PROMISES_NOTHING_WRITTEN = 'import_interrupted';

/** What clients of a history may get if nothing is wrong with the service. They ask for nothing that is malformed or not allowed. */
const EXPECTED_REFUSALS: ReadonlySet<string> = new Set([
  ...['record_not_found', 'record_changed', 'idempotency_key_in_progress', PROMISES_NOTHING_WRITTEN],
  ...['idempotency_key_reused', 'too_many_slow_requests', 'too_many_waiting', 'too_many_imports'],
]);

export function outcomeOf(ask: Ask, { status, headers, text }: Omit<TestReply, 'json'>): Outcome {
  const tag = headers['etag'];
  if (status < 400) {
    const revision = headers['stockbook-revision'];
    return {
      is: 'yes',
      status,
      tag,
      revision: revision === undefined ? undefined : Number(revision),
      oldest: headers['stockbook-oldest-cursor'],
      source: sourceIn(headers['cache-status']),
      isReplayed: headers['idempotent-replayed'] === 'true' ? true : undefined,
      body: text === '' ? undefined : isLines(ask) ? linesOf(text) : JSON.parse(text),
      bytes: createHash('sha256').update(text).digest('hex').slice(0, 16),
    };
  }
  const code = String(Object(JSON.parse(text)).code);
  if (status < 500 || code === PROMISES_NOTHING_WRITTEN) return { is: 'no', status, code, tag };
  return { is: 'unknown', status, reason: `${status} ${code}` };
}

/** RFC 9211: `stockbook; hit`, or where else the total comes from. */
function sourceIn(cacheStatus: string | undefined): string | undefined {
  return /detail=(\w+)|(hit)/
    .exec(cacheStatus ?? '')
    ?.slice(1)
    .find((word) => word !== undefined);
}

function isLines(ask: Ask): boolean {
  return ask.kind === 'export' || (ask.kind === 'changes' && ask.form === 'lines');
}

function linesOf(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** A 503 is the answer while something is down. Other errors of the service, and those that say that a request is wrong, are defects. */
export function isExpected(outcome: Outcome): boolean {
  switch (outcome.is) {
    case 'yes':
      return true;
    case 'no':
      return EXPECTED_REFUSALS.has(outcome.code);
    case 'unknown':
      return outcome.status === undefined || outcome.status === 503;
  }
}
