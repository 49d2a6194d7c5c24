/**
 * Edits of a filter's syntax tree: what the query builder does. A path leads from the filter to a part of it, as the
 * positions among the operands:
 *
 *     active=true&(categ_id=1|categ_id=2)      [] the filter, [0] active=true, [1] the group, [1, 0] categ_id=1
 *
 * An edit leaves everything else as it is. Undefined is the filter that has no conditions.
 */

import type { Condition, Filter, Junction } from '@stockbook/client/filter';

export type Path = readonly number[];
export type JunctionKind = Junction['kind'];

export function isCondition(filter: Filter): filter is Condition {
  return filter.kind === 'comparison' || filter.kind === 'membership';
}

export function partAt(filter: Filter | undefined, path: Path): Filter | undefined {
  const [index, ...rest] = path;
  if (filter === undefined || index === undefined) return filter;
  return isCondition(filter) ? undefined : partAt(filter.operands[index], rest);
}

/** The conditions of a filter, from left to right. */
export function conditionsOf(filter: Filter | undefined): readonly Condition[] {
  if (filter === undefined) return [];
  return isCondition(filter) ? [filter] : filter.operands.flatMap(conditionsOf);
}

/**
 * The filter that limits which records the part at `path` applies to: its siblings in every enclosing AND. The part need not
 * exist yet.
 */
export function contextAt(filter: Filter | undefined, path: Path): Filter | undefined {
  return join('and', requirementsAt(filter, path));
}

function requirementsAt(filter: Filter | undefined, path: Path): readonly Filter[] {
  const [index, ...rest] = path;
  if (filter === undefined || index === undefined) return [];
  const operands = isCondition(filter) ? [filter] : filter.operands;
  const others = filter.kind === 'or' ? [] : operands.toSpliced(index, 1);
  return [...others, ...requirementsAt(operands[index], rest)];
}

export function otherKind(kind: JunctionKind): JunctionKind {
  return kind === 'and' ? 'or' : 'and';
}

/** One operand alone needs no junction, and none is no filter. */
export function join(kind: JunctionKind, operands: readonly Filter[]): Filter | undefined {
  const [first, second, ...rest] = operands;
  if (first === undefined || second === undefined) return first;
  return { kind, operands: [first, second, ...rest] };
}

/** The operands of a filter that joins with `kind`. Any other filter is the only operand. */
export function operandsOf(filter: Filter | undefined, kind: JunctionKind): readonly Filter[] {
  if (filter === undefined) return [];
  return filter.kind === kind ? filter.operands : [filter];
}

/** A junction takes its place among operands that are joined in the same way, not as a group. */
export function replaceAt(filter: Filter | undefined, path: Path, part: Filter): Filter | undefined {
  if (filter === undefined || path.length === 0) return filter && part;
  return editSiblings(filter, path, (siblings, index, kind) => siblings.toSpliced(index, 1, ...operandsOf(part, kind)));
}

/** Replaces the part at `path` and those after it, `count` in all, or removes them. */
export function replaceRun(filter: Filter | undefined, path: Path, count: number, part?: Filter): Filter | undefined {
  return (
    filter &&
    editSiblings(filter, path, (siblings, index, kind) => siblings.toSpliced(index, count, ...operandsOf(part, kind)))
  );
}

export function removeAt(filter: Filter | undefined, path: Path): Filter | undefined {
  return editAt(filter, path, () => []);
}

/** Adds an operand to the end of the junction at `path`. Anything else there becomes a junction of `kind`. */
export function addAt(
  filter: Filter | undefined,
  path: Path,
  part: Filter,
  kind: JunctionKind = 'and',
): Filter | undefined {
  if (filter === undefined) return part;
  return editAt(filter, path, (found) => {
    const joint = isCondition(found) ? kind : found.kind;
    const joined = join(joint, [...operandsOf(found, joint), ...operandsOf(part, joint)]);
    return joined === undefined ? [] : [joined];
  });
}

/** Makes a junction of the part at `path` and another one, such as an alternative to a condition. */
export function combineAt(
  filter: Filter | undefined,
  path: Path,
  part: Filter,
  kind: JunctionKind,
): Filter | undefined {
  if (filter === undefined) return part;
  return editAt(filter, path, (found) => {
    const joined = join(kind, [...operandsOf(found, kind), ...operandsOf(part, kind)]);
    return joined === undefined ? [] : [joined];
  });
}

export function switchAt(filter: Filter | undefined, path: Path): Filter | undefined {
  return editAt(filter, path, (found) =>
    isCondition(found) ? [found] : [{ kind: otherKind(found.kind), operands: found.operands }],
  );
}

/** Puts the part at `path` and the one after it into a group, of the kind that the junction around them is not. */
export function groupWithNext(filter: Filter | undefined, path: Path): Filter | undefined {
  return editSiblings(filter, path, (siblings, index, kind) => {
    const group = join(otherKind(kind), siblings.slice(index, index + 2));
    return group === undefined ? siblings : siblings.toSpliced(index, 2, group);
  });
}

/** Replaces the group at `path` by its operands. */
export function ungroupAt(filter: Filter | undefined, path: Path): Filter | undefined {
  return editAt(filter, path, (found) => (isCondition(found) || path.length === 0 ? [found] : found.operands));
}

/** Moves the part at `path` out of its group, to the place after it. */
export function moveOut(filter: Filter | undefined, path: Path): Filter | undefined {
  const part = partAt(filter, path);
  const group = path.slice(0, -1);
  if (part === undefined || group.length === 0) return filter;
  return editAt(filter, group, (found) => {
    if (isCondition(found)) return [found];
    const rest = join(found.kind, found.operands.toSpliced(path.at(-1) ?? 0, 1));
    return rest === undefined ? [part] : [rest, part];
  });
}

/** Moves the part at `path` into the group before it or after it. */
export function moveInto(filter: Filter | undefined, path: Path, where: 'before' | 'after'): Filter | undefined {
  return editSiblings(filter, path, (siblings, index) => {
    const target = where === 'before' ? index - 1 : index + 1;
    const [part, group] = [siblings[index], siblings[target]];
    if (part === undefined || group === undefined || isCondition(group)) return siblings;
    const operands = where === 'before' ? [...group.operands, part] : [part, ...group.operands];
    const grown = join(group.kind, operands) ?? group;
    return siblings.with(target, grown).toSpliced(index, 1);
  });
}

/** Replaces the part at `path` by any number of others. */
function editAt(
  filter: Filter | undefined,
  path: Path,
  edit: (found: Filter) => readonly Filter[],
): Filter | undefined {
  if (filter === undefined) return undefined;
  if (path.length === 0) return edit(filter)[0];
  return editSiblings(filter, path, (siblings, index) => {
    const found = siblings[index];
    return found === undefined ? siblings : siblings.toSpliced(index, 1, ...edit(found));
  });
}

/** Replaces the operands among which the part at `path` is. */
function editSiblings(
  filter: Filter | undefined,
  path: Path,
  edit: (siblings: readonly Filter[], index: number, kind: JunctionKind) => readonly Filter[],
): Filter | undefined {
  const [index, ...rest] = path;
  if (filter === undefined || index === undefined || isCondition(filter)) return filter;
  const { kind, operands } = filter;
  if (rest.length === 0) return join(kind, edit(operands, index, kind));
  const inner = operands[index];
  if (inner === undefined) return filter;
  const edited = editSiblings(inner, rest, edit);
  // What is left of a group with one operand may be joined as its surroundings are.
  const isLeftOver = edited !== undefined && edited.kind !== inner.kind;
  const parts = isLeftOver ? operandsOf(edited, kind) : edited === undefined ? [] : [edited];
  return join(kind, operands.toSpliced(index, 1, ...parts));
}
