/** What the chips of the query builder stand for: a condition each, and one for the two conditions of a range of days. */

import type { Filter, Junction } from '@stockbook/client/filter';
import type { Resource } from '../../../src/catalog/resource.ts';
import { dayRangeIn } from './day-range.ts';
import {
  combineAt,
  isCondition,
  type JunctionKind,
  join,
  operandsOf,
  type Path,
  removeAt,
  replaceAt,
  replaceRun,
} from './filter-tree.ts';

export interface ChipPart {
  readonly condition: Filter;
  /** Where it is, or where the first of its conditions is. */
  readonly path: Path;
  /** How many operands it consists of. */
  readonly count: 1 | 2;
}

export type Part = { readonly kind: 'chip'; readonly part: ChipPart } | GroupPart;

interface GroupPart {
  readonly kind: 'group';
  readonly junction: Junction;
  readonly path: Path;
}

/** The chips and groups of a junction, in their order. */
export function partsOf(resource: Resource, { kind, operands }: Junction, path: Path): readonly Part[] {
  const parts: Part[] = [];
  for (let index = 0; index < operands.length; index += 1) {
    const range = kind === 'and' ? join('and', operands.slice(index, index + 2)) : undefined;
    const operand = operands[index];
    if (operand === undefined) continue;
    if (range !== undefined && dayRangeIn(resource, range) !== undefined) {
      parts.push({ kind: 'chip', part: { condition: range, path: [...path, index], count: 2 } });
      index += 1;
    } else parts.push(partOf(resource, operand, [...path, index]));
  }
  return parts;
}

/** A filter that is one condition or one range of days is one chip. */
export function partOf(resource: Resource, filter: Filter, path: Path): Part {
  if (isCondition(filter)) return { kind: 'chip', part: { condition: filter, path, count: 1 } };
  if (dayRangeIn(resource, filter) === undefined) return { kind: 'group', junction: filter, path };
  return { kind: 'chip', part: { condition: filter, path: [...path, 0], count: 2 } };
}

/** Undefined removes it. */
export function replacePart(filter: Filter | undefined, part: ChipPart, by?: Filter): Filter | undefined {
  const { path, count } = part;
  if (count > 1) return replaceRun(filter, path, count, by);
  return by === undefined ? removeAt(filter, path) : replaceAt(filter, path, by);
}

/** Joins it with another one, such as an alternative. */
export function combinePart(
  filter: Filter | undefined,
  part: ChipPart,
  by: Filter,
  kind: JunctionKind,
): Filter | undefined {
  const { condition, path, count } = part;
  if (count === 1) return combineAt(filter, path, by, kind);
  return replaceRun(filter, path, count, join(kind, [condition, ...operandsOf(by, kind)]));
}
