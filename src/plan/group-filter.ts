/** The filter that selects the records of a group. */

import type { Comparison, Filter } from '../filter/ast.ts';

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
