/** The filter that selects the records of a group. */

import type { Comparison, Filter } from '../filter/ast.ts';
import { MAX_CONDITIONS, MAX_DEPTH, MAX_FILTER_BYTES } from '../filter/limits.ts';
import { printFilter } from '../filter/print.ts';
import { utf8Length } from '../filter/utf8-length.ts';

/** The filter of the request, and what the records of the group have in common. */
export function groupFilter(filter: Filter | undefined, conditions: readonly Comparison[]): Filter {
  const parts = filter === undefined ? conditions : [filter, ...conditions];
  const operands = parts.flatMap((part): readonly Filter[] => (part.kind === 'and' ? part.operands : [part]));
  const [first, second, ...rest] = operands;
  if (first === undefined) throw new Error('a group has at least one condition');
  return second === undefined ? first : { kind: 'and', operands: [first, second, ...rest] };
}

export function comparison(field: string, operator: Comparison['operator'], text: string | null): Comparison {
  return {
    kind: 'comparison',
    field: { text: field, at: 0 },
    operator,
    operatorAt: 0,
    value: { text, at: 0, end: 0 },
  };
}

/** Why a client could not send the filter, as a sentence. Undefined if it can. */
export function excessOf(filter: Filter): string | undefined {
  const bytes = utf8Length(printFilter(filter));
  if (bytes > MAX_FILTER_BYTES) return `The filter has ${bytes} bytes; the limit is ${MAX_FILTER_BYTES}.`;
  if (conditionsIn(filter) > MAX_CONDITIONS) return `The filter has more than ${MAX_CONDITIONS} conditions.`;
  return depthOf(filter) > MAX_DEPTH ? `Groups are nested more than ${MAX_DEPTH} levels deep.` : undefined;
}

function conditionsIn(filter: Filter): number {
  return 'operands' in filter ? filter.operands.reduce((count, operand) => count + conditionsIn(operand), 0) : 1;
}

/** How deep its groups nest when it is printed: `&` binds tighter, so only an `and` inside an `or` is no group. */
function depthOf(filter: Filter): number {
  if (!('operands' in filter)) return 0;
  const depths = filter.operands.map((operand) => {
    const isGroup = 'operands' in operand && !(filter.kind === 'or' && operand.kind === 'and');
    return depthOf(operand) + (isGroup ? 1 : 0);
  });
  return Math.max(...depths);
}
