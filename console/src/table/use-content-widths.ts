/** How wide columns have to be so that no number in them is cut: part of a number is another number. */

import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import type { RecordValues } from '../data/records.ts';
import { formatValue } from '../format/values.ts';

/** By the name of the field, in pixels. Text has no entry: it may be cut. */
export type ContentWidths = ReadonlyMap<string, number>;

/** A time in each month, as long as times get. */
const TIMES = Array.from({ length: 12 }, (_, month) => new Date(2028, month, 28, 22, 58).toISOString());

/** While the table is shown, widths only grow: on another page, columns stay where they are if they can. */
export function useContentWidths(
  container: RefObject<HTMLElement | null>,
  fields: readonly Field[],
  records: readonly RecordValues[],
  /** In pixels. It changes with the size of text. */
  rowHeight: number,
): ContentWidths {
  const [widths, setWidths] = useState<ContentWidths>(new Map());
  const shapes = useMemo(
    () => fields.map((field) => [field.name, shapesOf(field, records)] as const),
    [fields, records],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: text of another size has other widths
  useLayoutEffect(() => {
    if (container.current === null) return;
    const measured = measure(container.current, new Set(shapes.flatMap(([, texts]) => [...texts])));
    setWidths((before) => {
      const after = new Map(before);
      for (const [name, texts] of shapes) {
        const needed = Math.max(0, ...[...texts].map((text) => measured.get(text) ?? 0));
        if (needed > (before.get(name) ?? 0)) after.set(name, needed);
      }
      return [...after].some(([name, width]) => before.get(name) !== width) ? after : before;
    });
  }, [container, shapes, rowHeight]);
  return widths;
}

/** The texts of a column, one for all that are equally wide: all digits are. */
function shapesOf(field: Field, records: readonly RecordValues[]): ReadonlySet<string> {
  switch (storageOf(field)) {
    case 'integer':
    case 'real': {
      const values = records.flatMap((record) => record[field.name] ?? []);
      return new Set(values.map((value) => formatValue(value, field.type, field.decimals).replaceAll(/\d/g, '0')));
    }
    case 'timestamp':
      return new Set(TIMES.map((time) => formatValue(time, field.type)));
    case 'boolean':
    case 'text':
      return new Set();
  }
}

/** The width of a cell with this text, by text. */
function measure(container: HTMLElement, texts: ReadonlySet<string>): ReadonlyMap<string, number> {
  const ruler = document.createElement('div');
  ruler.className = 'record-grid-ruler';
  const cells = [...texts].map((text) => {
    const cell = document.createElement('span');
    cell.textContent = text;
    return cell;
  });
  ruler.append(...cells);
  container.append(ruler);
  const widths = new Map(cells.map((cell) => [cell.textContent, Math.ceil(cell.getBoundingClientRect().width)]));
  ruler.remove();
  return widths;
}
