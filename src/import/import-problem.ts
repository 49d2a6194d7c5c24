/** Why an import was not made, as a problem: the response to a request, what its list says about it, and what a command prints. */

import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import type { PositionChanged, RowError, RowErrors, StorageExceeded, ValueTaken } from '../store/store.ts';
import type { Question } from './decisions.ts';
import type { Found, Imported, ImportPlan, ImportResult } from './import-plan.ts';
import { CLIENT_WORDS, type ImportWords, REQUEST_WORDS } from './words.ts';

export function importProblem(
  result: Exclude<ImportResult, { readonly kind: 'imported' }>,
  { resource, words, dryRun, import: entry }: ImportPlan,
): Problem {
  switch (result.kind) {
    case 'refused':
      return rowsRejected(result, words, dryRun);
    case 'undecided':
      return undecided(result, words, dryRun);
    case 'unreadable':
      return new Problem('malformed_rows', result.message);
    case 'too many removed':
      return new Problem(
        'confirmation_required',
        `The import would remove ${result.removed} of ${result.rows} ${resource.plural}, more than a tenth.`,
        { suggestion: `Add ${words.confirm} if they are to be removed.` },
      );
    case 'storage exceeded':
      return storageLimitReached(result);
    case 'position changed':
      return positionChanged(entry.source?.name ?? '', resource, result);
    case 'cancelled':
      return new Problem('import_cancelled', 'The import was cancelled. Nothing was changed.');
    case 'no access':
      return interrupted(ACCESS_CHANGED);
    default:
      return interrupted(`The import ended without a change: ${result.kind}.`);
  }
}

/** Rows are not imported under another access, or into other fields, than they were sent for. */
export const ACCESS_CHANGED =
  'What the key permits, or the fields, changed while the rows arrived. Nothing was changed.';

export function valueTaken({ name }: Resource, { field, value }: ValueTaken): Problem {
  return new Problem('value_taken', `Another ${name} has the ${field} ${quoted(value)}.`, { parameter: field });
}

export function interrupted(
  detail = 'The import was interrupted. Nothing was changed.',
  headers: Readonly<Record<string, string>> = {},
): Problem {
  return new Problem('import_interrupted', detail, { headers: { 'retry-after': '1', ...headers } });
}

function rowsRejected(
  { errors, isPartial, found }: Extract<ImportResult, { kind: 'refused' }>,
  { hints }: ImportWords,
  dryRun: boolean,
): Problem {
  const rows = errors.count === 1 ? '1 error' : `${errors.count} errors`;
  const rest = isPartial ? ' The other rows have not been compared with the records yet.' : '';
  return new Problem('rows_rejected', `The rows have ${rows}. Nothing was changed.${rest}`, {
    ...(hints?.rows_rejected !== undefined && { suggestion: hints.rows_rejected }),
    members: {
      errors: errors.first.map(errorMember),
      errorCount: errors.count,
      ...groupMembers(errors),
      ...foundMembers(found, dryRun),
    },
  });
}

function undecided(
  { questions, found }: Extract<ImportResult, { kind: 'undecided' }>,
  words: ImportWords,
  dryRun: boolean,
): Problem {
  const [first] = questions;
  if (first === undefined) throw new Error('there is no question');
  const { choices } = first;
  const answers = choices.map(
    ({ option = first.option, value, meaning }) => `${words.answer(option, value)} (${meaning})`,
  );
  return new Problem('decision_required', `${first.question} Nothing was changed.`, {
    suggestion: answers.length > 0 ? `Add ${answers.join(' or ')}.` : 'Correct the rows, and import them again.',
    members: {
      questions: questions.map((question) => questionMember(question, words)),
      ...foundMembers(found, dryRun),
    },
  });
}

/** Its parameter has the name that it has in a request, or in the client. */
function questionMember({ option: asked, choices, ...question }: Question, { name }: ImportWords): object {
  const words = name === 'client' ? CLIENT_WORDS : REQUEST_WORDS;
  return {
    parameter: words.option(asked),
    ...question,
    choices: choices.map(({ option, ...choice }) => ({ ...(option && { parameter: option }), ...choice })),
  };
}

/** What responses and the list of imports say about an import besides its counts. */
export function resultMembers({ errors, found }: Pick<Imported, 'errors' | 'found'>, dryRun: boolean): object {
  const groups = errors.count > 0 ? groupMembers(errors) : {};
  return { errors: errors.first.map(errorMember), ...groups, ...foundMembers(found, dryRun) };
}

/** What was found in a file, as responses have it. A dry run shows more. */
function foundMembers({ recognised, preview }: Found, dryRun: boolean): object {
  const columns = recognised?.columns.map(({ column, examples, ...rest }) => ({
    column: truncated(column),
    ...rest,
    ...(dryRun && { examples }),
  }));
  return { ...(recognised && { recognised: { ...recognised, columns } }), ...(dryRun && { preview }) };
}

/** Which rows have the same error, if the rows were found to have any. */
function groupMembers({ groups }: RowErrors): object {
  if (groups === undefined) return {};
  return {
    errorGroups: groups.map(({ error: { column, requirement, reason, suggestion }, rows, lines }) => ({
      column,
      reason: requirement ?? reason,
      suggestion,
      rows,
      lines,
    })),
  };
}

/** An error as responses have it. */
function errorMember({ line, column, value, reason, suggestion, first }: RowError): object {
  return {
    line,
    column,
    value,
    reason: first === undefined ? reason : `${reason}, first in line ${first}`,
    suggestion,
  };
}

function positionChanged(name: string, resource: Resource, { current }: PositionChanged): Problem {
  if (current !== undefined && current.resource !== resource.name)
    return new Problem('invalid_import_option', `The source ${quoted(name)} is one of another resource.`, {
      parameter: 'source',
      suggestion: 'Use another name for each resource.',
    });
  return new Problem(
    'position_changed',
    current === undefined
      ? `The source ${quoted(name)} has no position yet.`
      : `The position of the source ${quoted(name)} is ${quoted(current.position)}.`,
    { parameter: 'expect', members: { currentPosition: current?.position ?? null } },
  );
}

export function storageLimitReached({ use: { records, bytes, limits } }: StorageExceeded): Problem {
  const isRecords = limits.records > 0 && records > limits.records;
  return new Problem(
    'storage_limit_reached',
    isRecords
      ? `The account would have ${records} records; the limit is ${limits.records}.`
      : `The values of the account's records would have ${bytes} bytes; the limit is ${limits.bytes}.`,
  );
}
