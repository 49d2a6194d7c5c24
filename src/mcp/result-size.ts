/** How large a result may be, and how to get a smaller one. */

import { DEFAULT_LIMIT } from '../plan/page.ts';
import { Problem } from '../problem/problem.ts';
import { byteLength, type Pieces } from '../store/pieces.ts';
import type { ApiTool, Arguments, Narrower, ResultSize } from './tool.ts';

/** The largest response of the API that becomes the result of a tool, in bytes: a model has to read all of it. */
export const MAX_RESULT_BYTES = 40_000;

export function checkResultSize(tool: ApiTool, given: Arguments, body: string | Pieces): Problem | undefined {
  const bytes = byteLength(body);
  if (bytes <= MAX_RESULT_BYTES) return undefined;
  const detail = `The result has ${bytes} bytes; a tool returns at most ${MAX_RESULT_BYTES}.`;
  return new Problem('result_too_large', detail, tool.narrow(given, { bytes, count: countIn(body) }));
}

/** How many records are in the body of a list or a page of changes, without parsing all of it. */
function countIn(body: string | Pieces): number | undefined {
  const end = typeof body === 'string' ? body.slice(-MAX_META) : Buffer.from(body.at(-1) ?? []).toString();
  const [, count] = /"meta":\{"count":(\d+)/.exec(end.slice(-MAX_META)) ?? [];
  return count === undefined ? undefined : Number(count);
}

/** The longest end of a body, in characters, that is searched for the count. */
const MAX_META = 10_000;

export function fewerFields(): Narrower {
  return { suggestion: 'Request fewer fields.' };
}

export function fewerRecords(given: Arguments, size: ResultSize): Narrower {
  const limit = smallerLimit(given, size);
  if (limit === 0) return fewerFields();
  return { suggestion: 'Request fewer fields, or fewer records per call.', fixed: { limit: String(limit) } };
}

export function fewerGroups(given: Arguments, size: ResultSize): Narrower {
  const limit = smallerLimit(given, size);
  if (limit === 0) return { suggestion: 'Request fewer facets.' };
  return { suggestion: 'Request fewer facets, or fewer groups per facet.', fixed: { limit: String(limit) } };
}

/** Leaves room for records and groups that are larger than the average. */
export const SPARE = 0.8;

function smallerLimit({ text }: Arguments, { bytes, count = Number.POSITIVE_INFINITY }: ResultSize): number {
  const limit = Math.min(Number(text['limit'] ?? DEFAULT_LIMIT), count);
  return Math.floor((SPARE * limit * MAX_RESULT_BYTES) / bytes);
}
