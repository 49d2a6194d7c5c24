/** How wide columns are: as their content needs it, and together as wide as the table. A width that somebody has chosen stays. */

import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import type { RecordValues } from '../data/records.ts';
import { formatField, formatMoment } from '../format/values.ts';
import { useCurrency } from '../session/use-currency.ts';
import { type ColumnNeeds, fitColumns } from './fit-columns.ts';

/** In pixels, as everything here. */
export interface ColumnWidth {
  /** Of numbers and times, as wide as they are: part of a number is another number. */
  readonly minimum: number;
  readonly width: number;
}

/** By the name of the field. */
export type ColumnWidths = ReadonlyMap<string, ColumnWidth>;

export interface MeasuredTable {
  /** The element that scrolls. */
  readonly container: RefObject<HTMLElement | null>;
  readonly fields: readonly Field[];
  readonly records: readonly RecordValues[];
  /** It changes with the size of text. */
  readonly rowHeight: number;
  /** What is beside the columns of fields. */
  readonly reserved: number;
  /** Widths that somebody has chosen, by the name of the field. */
  readonly chosen: ReadonlyMap<string, number>;
}

const NARROWEST = 56;

/** The name identifies a record, so it gets more room. What is longer is cut. */
const LIMITS = { name: { shortest: 200, longest: 360 }, text: { shortest: 96, longest: 260 } } as const;

/** On a phone, other columns have to be seen beside the name, which stays where it is. */
const MAX_SHARE_OF_NAME = 0.42;

/** How many texts of a column are measured: the longest. */
const MEASURED_TEXTS = 12;

/** What a header has beside its label: the sort icon, and its place among several; without a pointer that hovers, also the menu button. */
const SORT_ICON = 28;
const MENU_BUTTON = 20;

export function useColumnWidths(table: MeasuredTable): ColumnWidths {
  const { container, fields, reserved, chosen } = table;
  const available = useWidth(container) - reserved;
  const content = useContentWidths(table);
  return useMemo(() => {
    const columns = fields.map((field) => {
      const needed = content.get(field.name) ?? 0;
      const minimum = isText(field) ? NARROWEST : Math.max(NARROWEST, needed);
      const width = chosen.get(field.name);
      const needs = width === undefined ? needsOf(field, needed, available) : exactly(Math.max(width, minimum));
      return { name: field.name, minimum, needs };
    });
    const widths = fitColumns(
      columns.map(({ needs }) => needs),
      available,
    );
    return new Map(columns.map(({ name, minimum }, index) => [name, { minimum, width: widths[index] ?? minimum }]));
  }, [fields, content, available, chosen]);
}

function exactly(width: number): ColumnNeeds {
  return { minimum: width, wanted: width, canGrow: false };
}

function needsOf(field: Field, needed: number, available: number): ColumnNeeds {
  if (!isText(field)) return exactly(Math.max(NARROWEST, needed));
  const isName = field.name === 'name';
  const { shortest, longest } = isName ? LIMITS.name : LIMITS.text;
  const most = isName ? Math.min(longest, Math.max(shortest / 2, available * MAX_SHARE_OF_NAME)) : longest;
  const wanted = Math.max(NARROWEST, Math.min(needed, most));
  return { minimum: Math.min(wanted, shortest), wanted, canGrow: true };
}

/** 0 until it has been measured. */
function useWidth(container: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = container.current;
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [container]);
  return width;
}

type ContentWidths = ReadonlyMap<string, number>;

/** While the table is shown, they only grow: on another page, columns stay where they are if they can. */
function useContentWidths({ container, fields, records, rowHeight }: MeasuredTable): ContentWidths {
  const currency = useCurrency();
  const [widths, setWidths] = useState<ContentWidths>(new Map());
  const shapes = useMemo(
    () => fields.map((field) => [field, shapesOf(field, records, currency)] as const),
    [fields, records, currency],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: text of another size has other widths
  useLayoutEffect(() => {
    if (container.current === null) return;
    const controls = SORT_ICON + (matchMedia('(hover: none)').matches ? MENU_BUTTON : 0);
    const labels = measure(container.current, new Set(fields.map(({ label }) => label)), 'record-grid-ruler-label');
    const measured = measure(container.current, new Set(shapes.flatMap(([, shape]) => [...shape])));
    setWidths((before) => {
      const after = new Map(before);
      for (const [{ name, label }, shape] of shapes) {
        const header = (labels.get(label) ?? 0) + controls;
        const needed = Math.max(header, ...[...shape].map((text) => measured.get(text) ?? 0));
        if (needed > (before.get(name) ?? 0)) after.set(name, needed);
      }
      return [...after].some(([name, width]) => before.get(name) !== width) ? after : before;
    });
  }, [container, fields, shapes, rowHeight]);
  return widths;
}

/** Texts that are as wide as those of a column. All digits are equally wide. */
function shapesOf(field: Field, records: readonly RecordValues[], currency: string | null): ReadonlySet<string> {
  const values = records.flatMap((record) => record[field.name] ?? []);
  switch (storageOf(field)) {
    case 'integer':
    case 'real':
      return new Set(values.map((value) => formatField(value, field, currency).replaceAll(/\d/g, '0')));
    case 'timestamp':
      return TIMES;
    case 'boolean':
      return new Set(field.kind === 'active' ? ['inactive'] : []);
    case 'text': {
      const texts = values.map(String).toSorted((a, b) => b.length - a.length);
      return new Set(texts.slice(0, MEASURED_TEXTS).map((text) => text.slice(0, LIMITS.name.longest / 4)));
    }
  }
}

/** A day of each month, and times that are recent. */
const TIMES: ReadonlySet<string> = new Set([
  ...Array.from({ length: 12 }, (_, month) => formatMoment(new Date(2028, month, 28).toISOString(), 0)),
  ...[59 * 60_000, 23 * 3_600_000, 86_400_000, 6 * 86_400_000].map((passed) =>
    formatMoment(new Date(2028, 0, 20).toISOString(), new Date(2028, 0, 20).getTime() + passed),
  ),
]);

/** The width of a cell with this text, by text. */
function measure(container: HTMLElement, texts: ReadonlySet<string>, className = ''): ReadonlyMap<string, number> {
  const ruler = document.createElement('div');
  ruler.className = 'record-grid-ruler';
  const cells = [...texts].map((text) => {
    const cell = document.createElement('span');
    cell.className = className;
    cell.textContent = text;
    return cell;
  });
  ruler.append(...cells);
  container.append(ruler);
  const widths = new Map(cells.map((cell) => [cell.textContent, Math.ceil(cell.getBoundingClientRect().width)]));
  ruler.remove();
  return widths;
}
