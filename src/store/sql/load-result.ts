/** What the statements of a load returned, told as what became of the rows. */

import type { Resource } from '../../catalog/resource.ts';
import type { LoadResult, RowFault } from '../store.ts';
import type { WriteResult } from './engine.ts';
import { bitOf, type LoadStatements, requiredFields, State } from './load-statements.ts';
import { integerOf, type Row } from './row.ts';

export function loadResult(resource: Resource, statements: LoadStatements, { rows }: WriteResult): LoadResult {
  const names = Object.keys(statements);
  const returned = (name: keyof LoadStatements): readonly Row[] => rows[names.indexOf(name)] ?? [];
  if (returned('takeLedgerRow').length === 0) return { kind: 'no such account' };
  const faults = [
    ...returned('findRepeatedIds').map(repeatedId),
    ...returned('findExhaustedIds').map(exhaustedId),
    ...returned('findMissingValues').flatMap((row) => missingValues(resource, row)),
  ];
  if (faults.length > 0) return { kind: 'refused', faults };
  const counts = new Map(returned('count').map((row) => [integerOf(row, 'state'), integerOf(row, 'rows')]));
  return {
    kind: 'loaded',
    created: counts.get(State.new) ?? 0,
    updated: counts.get(State.changed) ?? 0,
    unchanged: counts.get(State.unchanged) ?? 0,
  };
}

function repeatedId(row: Row): RowFault {
  return {
    line: integerOf(row, 'line'),
    column: 'id',
    reason: `${integerOf(row, 'id')} is given twice`,
    first: integerOf(row, 'first'),
  };
}

function exhaustedId(row: Row): RowFault {
  return { line: integerOf(row, 'line'), column: 'id', reason: 'no identifiers are left for a new record' };
}

function missingValues(resource: Resource, row: Row): readonly RowFault[] {
  const line = integerOf(row, 'line');
  const given = integerOf(row, 'given');
  return requiredFields(resource)
    .filter((field) => (given & bitOf(resource, field)) === 0)
    .map(({ name }) => ({ line, column: name, reason: 'missing; a new record needs it' }));
}
