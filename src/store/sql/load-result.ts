/** What the statements of a load returned, as the result of the load. */

import { storageOf } from '../accounts/storage.ts';
import type { WriteResult } from '../engine/engine.ts';
import type { LoadPlan, LoadResult, RowError, StorageExceeded, TooManyRemoved } from '../store.ts';
import { gives } from './given-fields.ts';
import { inOrder, type LoadStatements, RowState, requiredFields } from './load-statements.ts';
import { integerOf, type Row, textOf } from './row.ts';

export function loadResult(plan: LoadPlan, statements: LoadStatements, { rows }: WriteResult): LoadResult {
  const { all } = inOrder(statements);
  const returned = (name: Exclude<keyof LoadStatements, 'write'>): readonly Row[] => {
    const statement = statements[name];
    return statement === undefined ? [] : (rows[all.indexOf(statement)] ?? []);
  };
  const [ledger] = returned('takeLedgerRow');
  if (ledger === undefined) return { kind: 'no such account' };
  const refused = returned('tooManyErrors');
  if (refused[0] !== undefined) {
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
  const [updated, unchanged] = [counts.get(RowState.changed) ?? 0, counts.get(RowState.unchanged) ?? 0];
  return {
    kind: 'loaded',
    created: counts.get(RowState.new) ?? 0,
    updated,
    unchanged,
    removed: plan.replace ? integerOf(ledger, 'rows') - updated - unchanged : 0,
    skipped: returned('skipErrors')
      .map((row) => ({ text: textOf(row, 'source'), error: errorOf(plan, row) }))
      .toSorted((a, b) => a.error.line - b.error.line),
    ...(tooManyRemoved && { tooManyRemoved }),
    ...(storageExceeded && { storageExceeded }),
  };
}

function errorOf({ resource, key }: LoadPlan, row: Row): RowError {
  const line = integerOf(row, 'line');
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
