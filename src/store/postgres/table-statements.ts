/** What PostgreSQL adds to tables, and removes from them. */

import type { Field, Resource } from '../../catalog/resource.ts';
import { searchedTexts, textColumn } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import { columnNames, type TableDifference, type TableStatements } from '../sql/table-difference.ts';
import { tableStatements, valueIndexes } from '../sql/table-statements.ts';

export function additions(difference: TableDifference, dialect: Dialect): TableStatements {
  const searches = trigramIndexes(difference);
  return {
    required: tableStatements(difference, dialect),
    indexes: [...valueIndexes(difference), ...(searches.length === 0 ? [] : [withExtensions(searches)])],
  };
}

/** Their indexes go with them. */
export function removal(resource: Resource, field: Field): readonly string[] {
  const columns = columnNames(resource, field).map((column) => `DROP COLUMN ${column}`);
  return [`ALTER TABLE ${resource.name} ${columns.join(', ')}`];
}

/** On PostgreSQL every searched column has an index of its own. */
function trigramIndexes({ resource, searched }: TableDifference): readonly string[] {
  const added = searchedTexts(resource).filter(({ name }) => searched.includes(name));
  return added.map(({ name, field, form }) => {
    // Within a literal.
    const text = textColumn(field, form).replaceAll("'", "''");
    return `CREATE INDEX ${resource.name}_${name}_search ON ${resource.name} USING gin (account_id, (${text}) %I.gin_trgm_ops)`;
  });
}

/** Without the extensions, searches read all records. */
function withExtensions(indexes: readonly string[]): string {
  return `DO $$ DECLARE place name; BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
${indexes.map((index) => `      EXECUTE format('${index}', place);`).join('\n')}
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'pg_trgm and btree_gin are not available';
    END $$`;
}
