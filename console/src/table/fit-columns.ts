/** Divides the width of the table among its columns: each gets what its content needs, and text shares what is left, or gives way. */

export interface ColumnNeeds {
  /** In pixels, as everything here. Below it, what the column shows would be wrong or useless. */
  readonly minimum: number;
  /** So that its content is not cut. */
  readonly wanted: number;
  /** Whether it may be wider than that. Numbers and marks are not: they would be far from those beside them. */
  readonly canGrow: boolean;
}

/** The widths in the same order. Their sum is `available`, unless the table has to scroll, or no column can grow. */
export function fitColumns(columns: readonly ColumnNeeds[], available: number): readonly number[] {
  const spare = available - sum(columns.map(({ wanted }) => wanted));
  const slack = sum(columns.map(({ wanted, minimum }) => wanted - minimum));
  // A table that has to scroll anyway need not cut anything.
  if (spare + slack < 0) return columns.map(({ wanted }) => wanted);
  if (spare < 0) return columns.map(({ wanted, minimum }) => Math.floor(wanted + ((wanted - minimum) * spare) / slack));
  const growing = sum(columns.map(({ wanted, canGrow }) => (canGrow ? wanted : 0)));
  return columns.map(({ wanted, canGrow }) => (canGrow ? Math.floor(wanted + (spare * wanted) / growing) : wanted));
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, 0);
}
