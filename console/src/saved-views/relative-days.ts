/** "Created today" in a saved view means the day on which somebody opens it. The filter has points in time, so the view also says which day was today. */

import { type Filter, FilterError, parseFilter, printFilter } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { endOfDay, startOfDay, today } from '../format/local-time.ts';
import { type Part, partOf, partsOf } from '../query/chip-parts.ts';
import { conditionWith } from '../query/condition-draft.ts';
import { dayRangeIn, nameOfRange, rangeNamed } from '../query/day-range.ts';
import { join, operandsOf } from '../query/filter-tree.ts';

/** Whether a filter has days that people name by what day it is. */
export function hasRelativeDays(resource: Resource, filter: string): boolean {
  return withDaysOf(resource, filter, today(), NEVER) !== filter;
}

/** A day on which every range with a name is another one. */
const NEVER = '1970-01-15';

/** A filter of one day as it is on another, in the reader's time zone. */
export function withDaysOf(resource: Resource, text: string, from: string, to: string): string {
  const filter = parseFilter(text);
  if (filter instanceof FilterError) return text;
  const moved = movedPart(partOf(resource, filter, []));
  return printFilter(moved) === printFilter(filter) ? text : printFilter(moved);

  function movedPart(part: Part): Filter {
    if (part.kind === 'chip') return movedDays(part.part.condition);
    const { junction } = part;
    const operands = partsOf(resource, junction, []).map(movedPart);
    return (
      join(
        junction.kind,
        operands.flatMap((operand) => operandsOf(operand, junction.kind)),
      ) ?? junction
    );
  }

  function movedDays(condition: Filter): Filter {
    const range = dayRangeIn(resource, condition);
    const name = range && nameOfRange(range, from);
    if (range === undefined || name === undefined || name === 'between') return condition;
    const { first, last } = rangeNamed(name, to);
    const bounds = [
      conditionWith(range.field, '>=', [startOfDay(first)]),
      conditionWith(range.field, '<', [endOfDay(last)]),
    ];
    return join('and', bounds) ?? condition;
  }
}
