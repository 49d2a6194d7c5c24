/** What the statements of a load returned, told as what became of the rows. */

import type { LoadPlan, LoadResult, RowFault } from '../store.ts';
import type { WriteResult } from './engine.ts';
import { bitOf, type LoadStatements, requiredFields, State } from './load-statements.ts';
import { integerOf, type Row, textOf } from './row.ts';

export function loadResult(plan: LoadPlan, statements: LoadStatements, { rows }: WriteResult): LoadResult {
  const names = Object.keys(statements);
  const returned = (name: keyof LoadStatements): readonly Row[] => rows[names.indexOf(name)] ?? [];
  const [ledger] = returned('takeLedgerRow');
  if (ledger === undefined) return { kind: 'no such account' };
  const faulty = returned('tooManyFaults');
  if (faulty[0] !== undefined) {
    const first = faulty.map((row) => faultOf(plan, row));
    return { kind: 'refused', faults: { first, count: integerOf(faulty[0], 'faults') } };
  }
  const counts = new Map(returned('count').map((row) => [integerOf(row, 'state'), integerOf(row, 'rows')]));
  const [updated, unchanged] = [counts.get(State.changed) ?? 0, counts.get(State.unchanged) ?? 0];
  return {
    kind: 'loaded',
    created: counts.get(State.new) ?? 0,
    updated,
    unchanged,
    removed: plan.replace ? integerOf(ledger, 'rows') - updated - unchanged : 0,
    leftOut: returned('leaveOut')
      .map((row) => ({ text: textOf(row, 'source'), fault: faultOf(plan, row) }))
      .toSorted((a, b) => a.fault.line - b.fault.line),
  };
}

function faultOf({ resource, key }: LoadPlan, row: Row): RowFault {
  const line = integerOf(row, 'line');
  switch (integerOf(row, 'state')) {
    case State.repeated:
      return { line, column: key.name, reason: `${shown(row)} is given twice`, first: integerOf(row, 'first_line') };
    case State.ambiguous:
      return { line, column: key.name, reason: `several ${resource.plural} have ${shown(row)}` };
    case State.exhausted:
      return { line, column: 'id', reason: 'no identifiers are left for a new record' };
    default: {
      const given = integerOf(row, 'given');
      const missing = requiredFields(resource).filter((field) => (given & bitOf(resource, field)) === 0);
      const column = missing.map(({ name }) => name).join(', ');
      return { line, column, reason: 'missing; a new record needs it' };
    }
  }
}

function shown(row: Row): string {
  const { key } = row;
  return typeof key === 'number' ? String(key) : textOf(row, 'key');
}
