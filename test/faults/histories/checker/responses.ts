/** What can be seen from responses alone, without the order of the writes. */

import { type Call, isWrite, revisionIn, type Yes } from '../history.ts';
import { isExpected } from '../outcomes.ts';
import type { Violation } from './violation.ts';
import { namesIn, writesOf } from './writes.ts';

export function wrongResponses(calls: readonly Call[]): readonly Violation[] {
  return [
    ...unexpected(calls),
    ...disagreements(calls),
    ...tags(calls),
    ...repetitions(calls),
    ...keys(calls),
    ...refusedButSeen(calls),
  ];
}

function* unexpected(calls: readonly Call[]): Iterable<Violation> {
  for (const call of calls)
    if (!isExpected(call.outcome))
      yield { rule: 'responses', text: 'A response that no client should get.', calls: [call] };
}

/** The same request and the same entity tag mean the same bytes, whoever asks, and one revision has one tag. */
function* disagreements(calls: readonly Call[]): Iterable<Violation> {
  const bytes = new Map<string, { readonly bytes: string; readonly call: Call }>();
  const tags = new Map<string, { readonly tag: string; readonly call: Call }>();
  for (const call of calls) {
    const { ask, outcome } = call;
    if (outcome.is !== 'yes' || outcome.tag === undefined) continue;
    const place = `${ask.resource} ${revisionIn(outcome.tag)}`;
    const tag = plainTag(outcome.tag);
    const other = tags.get(place) ?? { tag, call };
    tags.set(place, other);
    if (other.tag !== tag)
      yield {
        rule: 'one tag per revision',
        text: `Two tags have the same revision: ${place}.`,
        calls: [other.call, call],
      };
    if (outcome.status !== 200 || isWrite(ask) || ask.kind === 'touch') continue;
    const { ifNoneMatch: _, ...asked } = { ifNoneMatch: undefined, ...ask };
    const request = `${JSON.stringify(asked)} ${outcome.tag}`;
    const same = bytes.get(request) ?? { bytes: outcome.bytes, call };
    bytes.set(request, same);
    if (same.bytes !== outcome.bytes)
      yield {
        rule: 'readers agree',
        text: 'Two readers got different responses to the same request with the same tag.',
        calls: [same.call, call],
      };
  }
}

/** Without what names the representation. */
function plainTag(tag: string): string {
  return tag.replace(/-(\d+)(?:-[a-z-]+)?"$/, '-$1"');
}

/** What conditional requests get. */
function* tags(calls: readonly Call[]): Iterable<Violation> {
  for (const call of calls) {
    const { ask, outcome } = call;
    if (outcome.is === 'unknown') continue;
    const { status, tag } = outcome;
    if ('ifNoneMatch' in ask && status === 304 && tag !== ask.ifNoneMatch)
      yield { rule: 'conditions', text: 'A 304 has another tag than the request.', calls: [call] };
    if ('ifMatch' in ask && status === 412 && tag === ask.ifMatch)
      yield { rule: 'conditions', text: 'A 412 has the tag that was required.', calls: [call] };
    if (ask.kind === 'touch' && outcome.is === 'yes' && tag !== ask.ifMatch)
      yield { rule: 'conditions', text: 'A change to the same values has made another version.', calls: [call] };
  }
}

/** A request that is sent again with its idempotency key has the response of the first one. */
function* repetitions(calls: readonly Call[]): Iterable<Violation> {
  for (const { ask, attempts } of writesOf(calls)) {
    const agreed = attempts.flatMap((call) => (call.outcome.is === 'yes' ? [{ call, yes: call.outcome }] : []));
    const [first, ...others] = agreed.toSorted((a, b) => a.call.end - b.call.end);
    if (first === undefined) continue;
    const originals = agreed.filter(({ yes }) => yes.isReplayed !== true);
    if (originals.length > 1)
      yield {
        rule: 'idempotency',
        text: 'A request was handled twice, although it has an idempotency key.',
        calls: originals.map(({ call }) => call),
      };
    // That of a change has the record as it is now.
    const different =
      ask.kind === 'patch' ? undefined : others.find(({ yes }) => resultOf(yes) !== resultOf(first.yes));
    if (different !== undefined)
      yield {
        rule: 'idempotency',
        text: 'A request with an idempotency key was answered in two ways.',
        calls: [first.call, different.call],
      };
  }
}

/** A key is good for one request. */
function* keys(calls: readonly Call[]): Iterable<Violation> {
  const keyed = Map.groupBy(writesOf(calls), ({ ask: { resource, key } }) => key && `${resource} ${key}`);
  for (const [key, writes] of keyed) {
    const made = writes.filter(({ verdict }) => verdict === 'made');
    const isReused = (call: Call) => call.outcome.is === 'no' && call.outcome.code === 'idempotency_key_reused';
    const refused = writes.flatMap(({ attempts }) => attempts.filter(isReused));
    if (key !== undefined && made.length > 1)
      yield {
        rule: 'idempotency',
        text: 'Different requests with one idempotency key were made.',
        calls: made.flatMap(({ attempts }) => attempts),
      };
    if (refused.length > 0 && writes.length === 1)
      yield { rule: 'idempotency', text: 'An idempotency key was refused that no other request had.', calls: refused };
  }
}

/** What was recognised in rows is not remembered. */
function resultOf({ status, body }: Yes): string {
  const { recognised: _, ...data } = Object(Object(body).data);
  return `${status} ${JSON.stringify(data)}`;
}

/** A write that was refused has not happened. */
function* refusedButSeen(calls: readonly Call[]): Iterable<Violation> {
  const writes = writesOf(calls);
  const kept = new Set(writes.filter(({ verdict }) => verdict !== 'refused').flatMap(({ ask }) => namesIn(ask)));
  const refused = new Map(
    writes
      .filter(({ verdict }) => verdict === 'refused')
      .flatMap(({ ask, attempts }) => namesIn(ask).map((name) => [name, attempts] as const)),
  );
  for (const call of calls) {
    if (call.outcome.is !== 'yes') continue;
    for (const name of namesSeenIn(call.outcome.body)) {
      const attempts = kept.has(name) ? undefined : refused.get(name);
      if (attempts === undefined) continue;
      yield {
        rule: 'refused writes are not seen',
        text: `A write was refused, but a record has its name.`,
        calls: [...attempts, call],
      };
      return;
    }
  }
}

function namesSeenIn(body: unknown): readonly unknown[] {
  const content = Array.isArray(body) ? body : Object(body).data;
  const records: readonly unknown[] = Array.isArray(content) ? content : [content];
  return records.map((record) => Object(record).name).filter((name) => name !== undefined);
}
