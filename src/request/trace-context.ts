/**
 * The trace that a request belongs to (W3C Trace Context, level 2). We take part in traces, but start none: whoever wants
 * one sends `traceparent`, and a request without it has its request id.
 *
 *     traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
 *                  │  └ trace id                       └ parent id        └ flags
 *                  └ version
 */

import { randomBytes } from 'node:crypto';

export interface Trace {
  readonly id: string;
  /** The caller's span. */
  readonly parentId: string;
  /** The header of the response, which names our own span. */
  readonly traceparent: string;
}

/** Later versions may have more after these fields. Two headers are joined by Node with a comma, which is not valid. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** What the flags say that we know: the trace is sampled, and its id is random. */
const KNOWN_FLAGS = 0b11;

/** Undefined if the header is absent or not valid. */
export function readTrace(traceparent: string | readonly string[] | undefined): Trace | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, id, parentId, flags, rest] = FORM.exec(traceparent) ?? [];
  if (id === undefined || parentId === undefined || flags === undefined) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0');
  return { id, parentId, traceparent: `00-${id}-${spanId()}-${known}` };
}

function spanId(): string {
  const id = randomBytes(8).toString('hex');
  // All zeros is not a valid id.
  return /[^0]/.test(id) ? id : spanId();
}
