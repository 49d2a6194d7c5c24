/** A predicate to a SQL condition. Its text depends on the predicate's shape only, never on its values. */

import type { Value } from '../../catalog/value.ts';
import { storageOf } from '../../catalog/value-types.ts';
import type { Predicate, TextTest } from '../../plan/plan.ts';
import { textColumn } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { type Bound, bind, bindList, join, type Sql, sql, trusted } from './sql.ts';

/**
 * For null, a condition that is not negated may yield SQL's "unknown", which, under `AND` and `OR` alone, selects no more
 * than false does. A negated condition handles null explicitly. `indexed` are the conditions that may use an index, all if undefined:
 * the others are checked record by record.
 */
export function condition(predicate: Predicate, dialect: Dialect, indexed?: ReadonlySet<Predicate>): Sql {
  switch (predicate.kind) {
    case 'and':
    case 'or': {
      const operands = predicate.operands.map((operand) => condition(operand, dialect, indexed));
      return sql`(${join(operands, predicate.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'equals':
      return equals(predicate, dialect, indexed === undefined || indexed.has(predicate));
    case 'text':
      return textCondition(predicate, dialect);
    case 'ordered': {
      const { field, operator, value } = predicate;
      // Most ranges are wide, and faster to read in list order.
      return sql`${dialect.unindexed(field.column)} ${trusted(operator)} ${bind(storageOf(field), value)}`;
    }
  }
}

type Of<Kind extends Predicate['kind']> = Extract<Predicate, { kind: Kind }>;

function equals({ field, anyOf, negated }: Of<'equals'>, dialect: Dialect, isIndexed: boolean): Sql {
  const column = isIndexed ? trusted(field.column) : dialect.unindexed(field.column);
  const values = anyOf.filter((value): value is Value => value !== null);
  const hasNull = values.length < anyOf.length;
  const [only] = values;
  if (only === undefined && !hasNull) return negated ? sql`1 = 1` : sql`1 = 0`;
  if (only === undefined) return negated ? sql`${column} IS NOT NULL` : sql`${column} IS NULL`;
  const comparison =
    values.length === 1
      ? sql`${column} ${trusted(negated ? '<>' : '=')} ${bind(storageOf(field), only)}`
      : dialect.isIn(column, bindList(storageOf(field), values), negated);
  return field.nullable && hasNull !== negated ? sql`(${comparison} OR ${column} IS NULL)` : comparison;
}

/** The same as plan/text-tests.ts has, in SQL. */
const TEXT_TESTS: Readonly<Record<TextTest, ((column: Sql, text: Bound) => Sql) | undefined>> = {
  '*': undefined,
  begins: (column, text) => sql`substr(${column}, 1, length(${text})) = ${text}`,
  equals: (column, text) => sql`${column} = ${text}`,
};

function textCondition({ field, test, form, text, negated }: Of<'text'>, dialect: Dialect): Sql {
  const column = trusted(textColumn(field, form));
  const contained = dialect.contains(column, text);
  const more = TEXT_TESTS[test]?.(column, bind('text', text));
  const found = more === undefined ? contained : sql`(${contained} AND ${more})`;
  if (!negated) return found;
  return field.nullable ? sql`(NOT (${found}) OR ${trusted(field.column)} IS NULL)` : sql`NOT (${found})`;
}
