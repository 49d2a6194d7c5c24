/** The reads of a history: those of a whole resource, whose responses name its revision, and those of a record, which name the record's. */

import { type Call, type Outcome, revisionIn, type Yes } from '../history.ts';
import type { ListAsk } from './answers.ts';

/** A read of a whole resource at a revision. */
export interface ResourceRead {
  readonly call: Call;
  readonly revision: number;
  readonly ask: ListAsk;
  /** Undefined if it was a 304. */
  readonly answer: Yes | undefined;
}

/** A response about one record, as it was at some moment of the call. */
export interface RecordRead {
  readonly call: Call;
  readonly id: number;
  /** Undefined if there was none. */
  readonly found: { readonly revision: number; readonly record?: unknown } | undefined;
}

/** A response that names a revision, so that the resource had got there when the call ended. */
export interface Naming {
  readonly call: Call;
  readonly revision: number;
}

export function resourceReadOf(call: Call): ResourceRead | undefined {
  const { ask, outcome } = call;
  if (outcome.is !== 'yes') return undefined;
  switch (ask.kind) {
    case 'list':
    case 'export':
    case 'digest':
    case 'aggregate':
    case 'changes': {
      const answer = outcome.status === 304 ? undefined : outcome;
      return { call, ask, revision: lastRevisionIn(ask, outcome), answer };
    }
    default:
      return undefined;
  }
}

function lastRevisionIn(ask: ListAsk, { tag, revision, body }: Yes): number {
  if (ask.kind === 'changes' && ask.form === 'lines' && Array.isArray(body)) return Number(body.at(-1)?.end?.revision);
  return revision ?? revisionIn(tag ?? '');
}

export function recordReadOf(call: Call): RecordRead | undefined {
  const { ask, outcome } = call;
  if (!('id' in ask) || outcome.is === 'unknown') return undefined;
  const { id } = ask;
  if (outcome.is === 'no') {
    if (outcome.code === 'record_not_found') return { call, id, found: undefined };
    return outcome.tag === undefined ? undefined : { call, id, found: { revision: revisionIn(outcome.tag) } };
  }
  // What a write has returned is compared when its revision is.
  const isRead = ask.kind === 'get' || ask.kind === 'touch' || (ask.kind === 'patch' && outcome.isReplayed === true);
  if (!isRead || outcome.tag === undefined) return undefined;
  const record = outcome.status === 304 ? undefined : Object(outcome.body).data;
  return { call, id, found: { revision: revisionIn(outcome.tag), record } };
}

export function revisionsNamedIn(call: Call): readonly number[] {
  const { ask, outcome } = call;
  const read = resourceReadOf(call);
  if (read !== undefined) return [read.revision];
  if (ask.kind === 'import' && outcome.is === 'yes') return [Object(outcome.body).data.revision];
  return tagOf(outcome) === undefined ? [] : [revisionIn(tagOf(outcome) ?? '')];
}

function tagOf(outcome: Outcome): string | undefined {
  return outcome.is === 'unknown' ? undefined : outcome.tag;
}
