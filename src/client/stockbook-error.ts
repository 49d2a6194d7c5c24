/** What went wrong: the problem that the service reported, or why there is no response. */

import type { Clock } from './clock.ts';
import type { ProblemCode } from './generated/problem-code.ts';
import type { ErrorGroup, ImportQuestion, PreviewedRecord, RecognisedFile } from './recognised.ts';

/** Errors that the client itself finds. */
export const clientErrorCodes = [
  /** There was no response: the service cannot be reached, or the connection was lost. */
  'connection_failed',
  /** There was no response, or no further part of a stream, within `timeout`. */
  'timeout',
  /** A stream ended before everything was sent. */
  'incomplete_stream',
  /** The response is not from Stockbook, but from an intermediary. */
  'unexpected_response',
  /** A copy differs from the account although nothing was missed, even after it was rebuilt. */
  'copy_differs',
] as const;

export type ClientErrorCode = (typeof clientErrorCodes)[number];

export type ErrorCode = ProblemCode | ClientErrorCode;

/** What is wrong with a row of an import. */
export interface RowError {
  /** The line of a file, or the number of the row, starting at 1. */
  readonly line: number;
  readonly column?: string;
  readonly value?: string;
  readonly reason: string;
  readonly suggestion?: string;
}

/** A problem as in RFC 9457, as far as it is known. */
export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly title?: string | undefined;
  readonly detail: string;
  readonly parameter?: string | undefined;
  readonly position?: number | undefined;
  readonly suggestion?: string | undefined;
  readonly etag?: string | undefined;
  readonly currentPosition?: string | null | undefined;
  readonly errors?: readonly RowError[] | undefined;
  readonly errorCount?: number | undefined;
  readonly errorGroups?: readonly ErrorGroup[] | undefined;
  readonly questions?: readonly ImportQuestion[] | undefined;
  readonly recognised?: RecognisedFile | undefined;
  readonly preview?: readonly PreviewedRecord[] | undefined;
  readonly requestId?: string | undefined;
  /** In milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

export class StockbookError extends Error {
  override readonly name = 'StockbookError';
  declare readonly code: ErrorCode;
  /** The HTTP status; undefined if there was no response. */
  declare readonly status: number | undefined;
  declare readonly title: string | undefined;
  /** What is wrong with this request. */
  declare readonly detail: string;
  /** The query parameter or body member at fault. */
  declare readonly parameter: string | undefined;
  /** The column in the filter, starting at 1. */
  declare readonly position: number | undefined;
  /** How to fix the request. */
  declare readonly suggestion: string | undefined;
  /** Of `record_changed` and `view_changed`: the current tag of the record or view. */
  declare readonly etag: string | undefined;
  /** Of `position_changed`: the position of the source; null if it has none. */
  declare readonly currentPosition: string | null | undefined;
  /** Of `rows_rejected`: the first 20 errors, */
  declare readonly errors: readonly RowError[] | undefined;
  /** and how many there are. */
  declare readonly errorCount: number | undefined;
  /** Which rows have the same error. */
  declare readonly errorGroups: readonly ErrorGroup[] | undefined;
  /** Of `decision_required`: what has to be decided before the file can be read. */
  declare readonly questions: readonly ImportQuestion[] | undefined;
  /** What was recognised in the file of an import, */
  declare readonly recognised: RecognisedFile | undefined;
  /** and, of a dry run, its first rows as they would be stored. */
  declare readonly preview: readonly PreviewedRecord[] | undefined;
  /** Identifies the request in the log of the service. */
  declare readonly requestId: string | undefined;
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  declare readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { cause, ...details }: ErrorDetails) {
    const { detail, errors: [first] = [], suggestion } = details;
    super([detail, first && lineOf(first), suggestion].filter((part) => part !== undefined).join(' '), { cause });
    // Not one by one: the names of all members twice would be a fiftieth of the client.
    Object.assign(this, details, { code });
  }

  /** Whether others come first, and the service says when to ask again. Otherwise nobody knows whether waiting helps. */
  get isQueued(): boolean {
    return this.retryAfter !== undefined && (this.status === 429 || BUSY_CODES.includes(this.code));
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return TEMPORARY_CODES.includes(this.code) || TEMPORARY_STATUSES.includes(this.status ?? 0);
  }
}

function lineOf({ line, column, reason, suggestion }: RowError): string {
  const place = column === undefined ? `Line ${line}` : `Line ${line}, column ${column}`;
  return [`${place}: ${reason}`, ...(suggestion === undefined ? [] : [suggestion])].map(ended).join(' ');
}

function ended(sentence: string): string {
  return /[.?!]$/.test(sentence) ? sentence : `${sentence}.`;
}

const TEMPORARY_CODES: readonly ErrorCode[] = [
  'connection_failed',
  'timeout',
  'incomplete_stream',
  'idempotency_key_in_progress',
];

const BUSY_CODES: readonly ErrorCode[] = [
  'exports_busy',
  'idempotency_key_in_progress',
  'service_overloaded',
  'store_busy',
  'too_many_connections',
];

/** Includes those that a proxy sends if it cannot reach the service. */
const TEMPORARY_STATUSES: readonly number[] = [408, 429, 502, 503, 504];

/** The problem in a response. */
export async function errorOf(response: Response, clock: Clock): Promise<StockbookError> {
  const { status, headers } = response;
  const text = await response.text();
  const common = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after'), clock),
  };
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json');
  const { code, ...problem } = isProblem ? parseJson<ErrorDetails & { readonly code?: ErrorCode }>(text) : {};
  if (code !== undefined) return new StockbookError(code, { ...common, detail: '', ...problem });
  return new StockbookError('unexpected_response', {
    ...common,
    detail: `The response is a ${status} from something other than Stockbook: ${text.slice(0, 100)}`,
  });
}

export function parseJson<Body>(text: string): Body {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StockbookError('unexpected_response', {
      detail: `The response is not JSON: ${text.slice(0, 100)}`,
      cause,
    });
  }
}

/** RFC 9110, section 10.2.3: seconds or a date. */
function readRetryAfter(value: string | null, clock: Clock): number | undefined {
  if (value === null) return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - clock.wall();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}
