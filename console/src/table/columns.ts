/** The columns of a view: their fields and widths. */

import {
  columnResizingFeature,
  columnSizingFeature,
  createColumnHelper,
  type Header,
  metaHelper,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isNumeric, type Storage, storageOf } from '../../../src/catalog/value-types.ts';
import type { RecordValues } from '../data/records.ts';
import type { ColumnWidths } from './use-column-widths.ts';

export const features = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
  columnMeta: metaHelper<{ readonly field: Field }>(),
});

export type RecordHeader = Header<typeof features, RecordValues, unknown>;

/** In pixels. */
const WIDEST = 2_000;
/** How much a key press resizes a column. */
export const WIDTH_STEP = 16;
/** Of the column with the boxes that select rows. */
export const SELECTION_WIDTH = 32;

/** Until content has been measured. */
const WIDTHS: Readonly<Record<Storage, number>> = { integer: 80, real: 112, boolean: 80, text: 136, timestamp: 128 };
const NAME_WIDTH = 240;

const helper = createColumnHelper<typeof features, RecordValues>();

export function columnsOf(resource: Resource, fields: readonly string[], widths: ColumnWidths = new Map()) {
  return fields
    .flatMap((name) => findField(resource, name) ?? [])
    .map((field) => {
      const { minimum, width } = widths.get(field.name) ?? { minimum: 0, width: expectedWidth(field) };
      return helper.accessor((record): unknown => record[field.name], {
        id: field.name,
        header: field.label,
        size: width,
        minSize: minimum,
        maxSize: WIDEST,
        sortDescFirst: false,
        meta: { field },
      });
    });
}

function expectedWidth(field: Field): number {
  return field.name === 'name' ? NAME_WIDTH : WIDTHS[storageOf(field)];
}

/** Whether it stays visible when the table scrolls sideways: what a row is about. */
export function isPinned({ name }: Field): boolean {
  return name === 'name';
}

/** Aligned digits make numbers comparable from row to row. */
export function isRightAligned(field: Field): boolean {
  return isNumeric(field);
}
