/** The body of a request that reports about a source. */

import { Problem } from '../problem/problem.ts';
import { truncated } from '../problem/quoted.ts';
import { textRequirement } from './text-member.ts';

/** The maximum number of characters of an error. */
export const MAX_REPORTED_ERROR = 1_000;

const EXAMPLE =
  'Send {"error":null} if everything has been imported, or an object such as {"error":"The ERP is down."}.';

/** The error that the connector of a source fails with, or null if it does not. */
export function planReport(body: unknown): string | null | Problem {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return invalid('The body is not a JSON object.');
  const { error, ...rest } = { error: undefined, ...body };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return invalid('A report has no member other than error.', truncated(unknown));
  if (error === undefined) return invalid('error is missing.', 'error');
  return error === null ? null : readError(error);
}

function readError(json: unknown): string | Problem {
  if (typeof json !== 'string') return invalid('error must be a string or null.', 'error');
  const requirement = json.trim() === '' ? 'must not be blank' : textRequirement(json, MAX_REPORTED_ERROR);
  return requirement === undefined ? json : invalid(`error ${requirement}.`, 'error');
}

function invalid(detail: string, parameter?: string): Problem {
  return new Problem('invalid_body', detail, { ...(parameter !== undefined && { parameter }), suggestion: EXAMPLE });
}
