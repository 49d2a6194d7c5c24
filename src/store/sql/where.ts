/** A predicate to the SQL of a `WHERE`. Its text depends on the predicate's shape alone, never on its values. */

import type { Value } from '../../catalog/resource.ts';
import type { Predicate } from '../../plan/plan.ts';
import type { Dialect, Scope } from './dialect.ts';
import { bind, bindList, join, type Sql, sql, trusted } from './sql.ts';

/**
 * What is not negated may come out as SQL's "unknown" for a null: under `AND` and `OR` alone that does not
 * select a record, as false does not. What is negated says what it makes of a null.
 */
export function where(predicate: Predicate, dialect: Dialect, scope: Scope): Sql {
  switch (predicate.kind) {
    case 'and':
    case 'or': {
      const operands = predicate.operands.map((operand) => where(operand, dialect, scope));
      return sql`(${join(operands, predicate.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'equals':
      return equals(predicate, dialect, mayLead(predicate, scope));
    case 'contains':
      return contains(predicate, dialect, mayLead(predicate, scope) ? scope : undefined);
    case 'ordered': {
      const { field, operator, value } = predicate;
      // Most ranges are wide, and are better read in the order of the list.
      return sql`${dialect.unindexed(field.name)} ${trusted(operator)} ${bind(field.type, value)}`;
    }
  }
}

function mayLead(predicate: Predicate, { led }: Scope): boolean {
  return led === undefined || led.has(predicate);
}

type Of<Kind extends Predicate['kind']> = Extract<Predicate, { kind: Kind }>;

function equals({ field, anyOf, negated }: Of<'equals'>, dialect: Dialect, isIndexed: boolean): Sql {
  const column = isIndexed ? trusted(field.name) : dialect.unindexed(field.name);
  const values = anyOf.filter((value): value is Value => value !== null);
  const takesNull = values.length < anyOf.length;
  const [only] = values;
  if (only === undefined && !takesNull) return negated ? sql`1 = 1` : sql`1 = 0`;
  if (only === undefined) return negated ? sql`${column} IS NOT NULL` : sql`${column} IS NULL`;
  const among =
    values.length === 1
      ? sql`${column} ${trusted(negated ? '<>' : '=')} ${bind(field.type, only)}`
      : dialect.among(column, bindList(field.type, values), negated);
  return field.nullable && takesNull !== negated ? sql`(${among} OR ${column} IS NULL)` : among;
}

function contains({ field, folded, negated }: Of<'contains'>, dialect: Dialect, scope: Scope | undefined): Sql {
  const found = dialect.contains(field, folded, scope);
  if (!negated) return found;
  return field.nullable ? sql`(NOT (${found}) OR ${trusted(field.name)} IS NULL)` : sql`NOT (${found})`;
}
