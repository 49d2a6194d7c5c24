/** Which rows are selected, by the ids of their records, and from where a range of them is extended. */

export interface RowSelection {
  readonly ids: ReadonlySet<number>;
  /** The record at which the last selection began. */
  readonly anchor: number | undefined;
}

export const NOTHING_SELECTED: RowSelection = { ids: new Set(), anchor: undefined };

export function toggled({ ids }: RowSelection, id: number): RowSelection {
  const changed = new Set(ids);
  if (!changed.delete(id)) changed.add(id);
  return { ids: changed, anchor: id };
}

/** With all rows from the anchor to this one, in the order of the page. */
export function extended({ ids, anchor }: RowSelection, id: number, page: readonly number[]): RowSelection {
  const [from, to] = [page.indexOf(anchor ?? id), page.indexOf(id)];
  if (from === -1 || to === -1) return { ids: new Set([...ids, id]), anchor: id };
  const between = page.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...ids, ...between]), anchor: anchor ?? id };
}

/** With these rows as well. The last one is where a range begins. */
export function added({ ids }: RowSelection, ...rows: readonly [number, ...number[]]): RowSelection {
  return { ids: new Set([...ids, ...rows]), anchor: rows.at(-1) };
}

/** Every row of the page, or none if they are selected already. */
export function allToggled({ ids }: RowSelection, page: readonly number[]): RowSelection {
  return page.every((id) => ids.has(id)) ? NOTHING_SELECTED : { ids: new Set(page), anchor: page[0] };
}
