/** The SQL that closes differences between catalog and database, as a migration has it. */

import type { Dialect } from '../../src/store/sql/dialect.ts';
import type { TableDifference } from '../../src/store/sql/table-difference.ts';

export function statementsFor(differences: readonly TableDifference[], dialect: Dialect): readonly string[] {
  return differences.flatMap((difference) => {
    const { required, indexes } = dialect.additions(difference);
    return [...required, ...indexes];
  });
}
