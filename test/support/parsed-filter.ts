/** Filters that tests write as text. */

import type { Filter } from '../../src/filter/ast.ts';
import { FilterError } from '../../src/filter/filter-error.ts';
import { parseFilter } from '../../src/filter/parse.ts';

export function parsedFilter(text: string): Filter {
  const filter = parseFilter(text);
  if (filter instanceof FilterError) throw new Error(`${text}: ${filter.detail}`);
  return filter;
}
