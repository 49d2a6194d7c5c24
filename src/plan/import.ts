/** The parameters of an import to its plan. */

import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { ParameterName, WholeQuery } from '../request/parameters.ts';

/** An import that removes more than one in N records has to be confirmed. */
export const REMOVAL_LIMIT = 10;

/** The maximum number of bytes of the name of a source, and of a position. */
export const MAX_SOURCE_NAME = 255;
export const MAX_POSITION = 1_024;

export interface ImportRequest {
  readonly replace: boolean;
  readonly isConfirmed: boolean;
  readonly dryRun: boolean;
  readonly onRowError: 'stop' | 'skip';
  readonly ignoresUnknown: boolean;
  readonly source: RequestedPosition | undefined;
}

export interface RequestedPosition {
  readonly name: string;
  readonly position: string;
  /** Null if there must be none. */
  readonly expected?: string | null;
}

export function planImport(query: WholeQuery): ImportRequest | Problem {
  const { values } = query;
  const replace = flag(query, 'replace');
  if (replace instanceof Problem) return replace;
  const isConfirmed = flag(query, 'confirm');
  if (isConfirmed instanceof Problem) return isConfirmed;
  const dryRun = flag(query, 'dry_run');
  if (dryRun instanceof Problem) return dryRun;
  const ignoresUnknown = flag(query, 'ignore_unknown');
  if (ignoresUnknown instanceof Problem) return ignoresUnknown;
  const onRowError = values.on_error ?? 'stop';
  if (onRowError !== 'stop' && onRowError !== 'skip')
    return invalid('on_error', `on_error must be stop or skip, not ${quoted(onRowError)}.`);
  if (replace && onRowError === 'skip')
    return invalid(
      'on_error',
      'With replace=true, the records of skipped rows would be removed.',
      'Leave on_error out, or replace.',
    );
  const source = planSource(query);
  if (source instanceof Problem) return source;
  return { replace, isConfirmed, dryRun, onRowError, ignoresUnknown, source };
}

function planSource({ values, empty }: WholeQuery): RequestedPosition | Problem | undefined {
  const { source: name, position, expect } = values;
  if (name === undefined && (position !== undefined || expect !== undefined || empty.has('expect')))
    return invalid('source', 'A position belongs to a source.', 'Add source=NAME.');
  if (name === undefined) return undefined;
  if (position === undefined)
    return invalid('position', `The source ${quoted(name)} has no position.`, 'Add position=TEXT.');
  if (Buffer.byteLength(name) > MAX_SOURCE_NAME)
    return invalid('source', `The name of the source has more than ${MAX_SOURCE_NAME} bytes.`);
  if (Buffer.byteLength(position) > MAX_POSITION)
    return invalid('position', `The position has more than ${MAX_POSITION} bytes.`);
  const expected = empty.has('expect') ? null : expect;
  return { name, position, ...(expected !== undefined && { expected }) };
}

function flag({ values }: WholeQuery, name: 'replace' | 'confirm' | 'dry_run' | 'ignore_unknown'): boolean | Problem {
  const value = values[name] ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  return invalid(name, `${name} must be true or false, not ${quoted(value)}.`);
}

function invalid(parameter: ParameterName, detail: string, suggestion?: string): Problem {
  return new Problem('invalid_import_option', detail, { parameter, ...(suggestion !== undefined && { suggestion }) });
}
