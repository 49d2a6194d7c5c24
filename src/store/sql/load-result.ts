/** What the statements of a load returned, as the result of the load. */

import { codeFields, type Field, uniqueFields } from '../../catalog/resource.ts';
import { storageOf } from '../accounts/storage.ts';
import type { WriteResult } from '../engine/engine.ts';
import type {
  AddedAgain,
  LoadPlan,
  LoadResult,
  PositionChanged,
  RowError,
  SkippedRow,
  StorageExceeded,
  TooManyRemoved,
} from '../store.ts';
import { OutdatedFields } from '../store-error.ts';
import type { RecordVersion } from '../version.ts';
import { gives } from './given-fields.ts';
import { inOrder, type LoadStatements, RowState, requiredFields } from './load-statements.ts';
import { integerOf, type Row, textOf, textOrNullOf } from './row.ts';

/** The current position has to be looked up. */
export type LoadOutcome = Exclude<LoadResult, PositionChanged> | { readonly kind: 'position changed' };

export function loadResult(
  plan: LoadPlan,
  statements: LoadStatements,
  { rows, isCommitted }: Pick<WriteResult, 'rows' | 'isCommitted'>,
  skipped: readonly SkippedRow[],
  importId: string,
): LoadOutcome {
  const { all } = inOrder(statements);
  const returned = (name: Exclude<keyof LoadStatements, 'write' | 'markTaken'>): readonly Row[] => {
    const statement = statements[name];
    return statement === undefined ? [] : (rows[all.indexOf(statement)] ?? []);
  };
  const last = all[rows.length - 1];
  if (!isCommitted) {
    switch (last) {
      case statements.takeLedgerRow:
        return { kind: 'no access' };
      case statements.sameFields:
        throw new OutdatedFields('the fields have changed since the rows were read');
      case statements.requireRecord:
        return { kind: 'no such record' };
      case statements.matchRecord:
        return { kind: 'record changed' };
      case statements.savePosition:
        return { kind: 'position changed' };
      case statements.endImport:
        return { kind: 'cancelled' };
    }
  }
  const [again] = returned('addedAgain');
  if (again !== undefined) return addedAgain(plan, again);
  const [ledger = {}] = returned('takeLedgerRow');
  const refused = returned('tooManyErrors');
  if (refused[0] !== undefined) {
    const taken = plan.existing && takenField(plan, refused[0]);
    if (taken !== undefined) return { kind: 'value taken', field: taken.name, value: textOf(refused[0], 'taken') };
    const first = refused.map((row) => errorOf(plan, row));
    return { kind: 'refused', errors: { first, count: integerOf(refused[0], 'errors') } };
  }
  const [limit] = returned('tooManyRemoved');
  const tooManyRemoved: TooManyRemoved | undefined = limit && {
    kind: 'too many removed',
    removed: integerOf(limit, 'removed'),
    rows: integerOf(limit, 'rows'),
  };
  if (tooManyRemoved !== undefined && !plan.dryRun) return tooManyRemoved;
  const [storage] = [...returned('storageExceeded'), ...returned('exceededMeanwhile')];
  const storageExceeded: StorageExceeded | undefined = storage && { kind: 'storage exceeded', use: storageOf(storage) };
  if (storageExceeded !== undefined && !plan.dryRun) return storageExceeded;
  const counts = new Map(returned('count').map((row) => [integerOf(row, 'state'), integerOf(row, 'rows')]));
  const countOf = (state: keyof typeof RowState) => counts.get(RowState[state]) ?? 0;
  // If nothing was written, it is as before.
  const [after = ledger] = returned('version');
  const version = versionIn(after);
  const [before] = returned('requireRecord');
  const [changed] = returned('readBack');
  const record =
    changed !== undefined && countOf('changed') > 0
      ? { text: textOf(changed, 'record'), written: version }
      : before !== undefined && countOf('unchanged') > 0
        ? { text: textOf(before, 'record'), written: versionIn(before) }
        : undefined;
  return {
    kind: 'loaded',
    created: countOf('new'),
    updated: countOf('changed'),
    unchanged: countOf('unchanged') + countOf('absent'),
    removed: plan.replace ? integerOf(ledger, 'rows') - countOf('changed') - countOf('unchanged') : countOf('removed'),
    skipped,
    version,
    ...(plan.import && { importId: plan.import.id ?? importId }),
    ...(record && { record }),
    ...(tooManyRemoved && { tooManyRemoved }),
    ...(storageExceeded && { storageExceeded }),
  };
}

function versionIn(row: Row): RecordVersion {
  return { generation: integerOf(row, 'generation'), revision: integerOf(row, 'revision') };
}

function addedAgain({ resource }: LoadPlan, row: Row): AddedAgain {
  const codes = codeFields(resource).map((field, n) => ({
    field,
    given: integerOf(row, `given_code_${n}`),
    taken: integerOf(row, `taken_code_${n}`),
    repeated: integerOf(row, `repeated_code_${n}`),
    shared: integerOf(row, `shared_code_${n}`),
  }));
  const importedAt = textOrNullOf(row, 'imported_at') ?? undefined;
  return {
    kind: 'added again',
    rows: integerOf(row, 'added'),
    identified: integerOf(row, 'identified'),
    codes,
    importedAt,
  };
}

/** A row that was returned by the statement `errors`. */
export function skippedRow(plan: LoadPlan, row: Row): SkippedRow {
  return { text: textOrNullOf(row, 'source') ?? undefined, error: errorOf(plan, row) };
}

/** The longest value in a reason, in characters. */
const MAX_SHOWN = 60;

function shortened(value: string): string {
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value;
}

function takenField({ resource }: LoadPlan, row: Row): Field | undefined {
  return uniqueFields(resource)[integerOf(row, 'state') - RowState.taken];
}

function errorOf(plan: LoadPlan, row: Row): RowError {
  const { resource, key } = plan;
  const line = integerOf(row, 'line');
  const taken = takenField(plan, row);
  if (taken !== undefined) {
    const value = shortened(textOf(row, 'taken'));
    return row['first_line'] === null
      ? { line, column: taken.name, reason: `${value} belongs to another ${resource.name}` }
      : { line, column: taken.name, reason: `duplicate ${value}`, first: integerOf(row, 'first_line') };
  }
  switch (integerOf(row, 'state')) {
    case RowState.duplicate:
      return { line, column: key.name, reason: `duplicate ${row['key']}`, first: integerOf(row, 'first_line') };
    case RowState.ambiguous:
      return { line, column: key.name, reason: `${row['key']} belongs to several ${resource.plural}` };
    case RowState.exhausted:
      return { line, column: 'id', reason: 'no identifiers are left for a new record' };
    default: {
      const missing = requiredFields(resource).filter((field) => !gives(row, resource, field));
      const column = missing.map(({ name }) => name).join(', ');
      return { line, column, reason: 'missing; a new record requires it' };
    }
  }
}
