/** How large a result may be, and how to get a smaller one. */

import { DEFAULT_LIMIT } from '../plan/page.ts';
import { Problem } from '../problem/problem.ts';
import type { ApiTool, Arguments, Narrower } from './tool.ts';

/** The largest response of the API that becomes the result of a tool, in bytes: a model has to read all of it. */
export const MAX_RESULT_BYTES = 40_000;

export function checkResultSize(tool: ApiTool, given: Arguments, bytes: number): Problem | undefined {
  if (bytes <= MAX_RESULT_BYTES) return undefined;
  const detail = `The result has ${bytes} bytes; a tool returns at most ${MAX_RESULT_BYTES}.`;
  return new Problem('result_too_large', detail, tool.narrow(given, bytes));
}

export function fewerFields(): Narrower {
  return { suggestion: 'Request fewer fields.' };
}

export function fewerRecords(given: Arguments, bytes: number): Narrower {
  const limit = smallerLimit(given, bytes);
  if (limit === 0) return fewerFields();
  return { suggestion: 'Request fewer fields, or fewer records per call.', fixed: { limit: String(limit) } };
}

export function fewerGroups(given: Arguments, bytes: number): Narrower {
  const limit = smallerLimit(given, bytes);
  if (limit === 0) return { suggestion: 'Request fewer facets.' };
  return { suggestion: 'Request fewer facets, or fewer groups per facet.', fixed: { limit: String(limit) } };
}

/** Leaves room for records that are larger than the average. */
function smallerLimit({ text }: Arguments, bytes: number): number {
  const limit = Number(text['limit'] ?? DEFAULT_LIMIT);
  return Math.floor((0.8 * limit * MAX_RESULT_BYTES) / bytes);
}
