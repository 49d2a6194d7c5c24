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
  readonly add: boolean;
  readonly onRowError: 'stop' | 'skip';
  readonly ignoreUnknown: boolean;
  readonly lenient: boolean;
  readonly source: RequestedPosition | undefined;
}

export interface RequestedPosition {
  readonly name: string;
  readonly position: string;
  /** Null if there must be none. */
  readonly expected?: string | null;
}

/** What an option, or an option with a value, is called in messages. */
export type OptionName = (parameter: ParameterName, value?: string) => string;

export function planImport(query: WholeQuery, nameOf: OptionName): ImportRequest | Problem {
  const flag = (parameter: ParameterName) => readFlag(query, parameter, nameOf);
  const { values } = query;
  const replace = flag('replace');
  if (replace instanceof Problem) return replace;
  const isConfirmed = flag('confirm');
  if (isConfirmed instanceof Problem) return isConfirmed;
  const dryRun = flag('dry_run');
  if (dryRun instanceof Problem) return dryRun;
  const add = flag('add');
  if (add instanceof Problem) return add;
  const ignoreUnknown = flag('ignore_unknown');
  if (ignoreUnknown instanceof Problem) return ignoreUnknown;
  const lenient = flag('lenient');
  if (lenient instanceof Problem) return lenient;
  const onRowError = values.on_error ?? 'stop';
  if (onRowError !== 'stop' && onRowError !== 'skip')
    return invalid('on_error', `${nameOf('on_error')} must be stop or skip, not ${quoted(onRowError)}.`);
  if (replace && onRowError === 'skip')
    return invalid(
      'on_error',
      `With ${nameOf('replace', 'true')}, the records of skipped rows would be removed.`,
      `Leave ${nameOf('on_error')} out, or ${nameOf('replace')}.`,
    );
  const source = planSource(query, nameOf);
  if (source instanceof Problem) return source;
  return { replace, isConfirmed, dryRun, add, onRowError, ignoreUnknown, lenient, source };
}

function planSource({ values, empty }: WholeQuery, nameOf: OptionName): RequestedPosition | Problem | undefined {
  const { source: name, position, expect } = values;
  if (name === undefined && (position !== undefined || expect !== undefined || empty.has('expect')))
    return invalid('source', 'A position belongs to a source.', `Add ${nameOf('source', 'NAME')}.`);
  if (name === undefined) return undefined;
  if (position === undefined)
    return invalid('position', `The source ${quoted(name)} has no position.`, `Add ${nameOf('position', 'TEXT')}.`);
  if (Buffer.byteLength(name) > MAX_SOURCE_NAME)
    return invalid('source', `The name of the source has more than ${MAX_SOURCE_NAME} bytes.`);
  if (Buffer.byteLength(position) > MAX_POSITION)
    return invalid('position', `The position has more than ${MAX_POSITION} bytes.`);
  const expected = empty.has('expect') ? null : expect;
  return { name, position, ...(expected !== undefined && { expected }) };
}

function readFlag({ values }: WholeQuery, name: ParameterName, nameOf: OptionName): boolean | Problem {
  const value = values[name] ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  return invalid(name, `${nameOf(name)} must be true or false, not ${quoted(value)}.`);
}

function invalid(parameter: ParameterName, detail: string, suggestion?: string): Problem {
  return new Problem('invalid_import_option', detail, { parameter, ...(suggestion !== undefined && { suggestion }) });
}
