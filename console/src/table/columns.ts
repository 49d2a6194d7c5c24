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
import type { ContentWidths } from './use-content-widths.ts';

export const features = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
  columnMeta: metaHelper<{ readonly field: Field }>(),
});

export type RecordHeader = Header<typeof features, RecordValues, unknown>;

/** In pixels. */
const NARROWEST = 56;
const WIDEST = 2_000;
/** How much a key press resizes a column. */
export const WIDTH_STEP = 16;

const WIDTHS: Readonly<Record<Storage, number>> = {
  // For seven digits, so that few accounts need more.
  integer: 80,
  real: 112,
  boolean: 72,
  text: 136,
  timestamp: 180,
};

/** The name identifies a record, so it gets more room. */
const NAME_WIDTH = 240;

/** The width of a character in the header, and of its sort icon and menu button. */
const CHARACTER = 7;
const CONTROLS = 40;

const helper = createColumnHelper<typeof features, RecordValues>();

/** Columns are never narrower than their content needs, whatever was chosen. */
export function columnsOf(resource: Resource, fields: readonly string[], contentWidths: ContentWidths = new Map()) {
  return fields
    .flatMap((name) => findField(resource, name) ?? [])
    .map((field) => {
      const needed = contentWidths.get(field.name) ?? 0;
      return helper.accessor((record): unknown => record[field.name], {
        id: field.name,
        header: field.label,
        size: Math.max(defaultWidth(field), needed),
        minSize: Math.max(NARROWEST, needed),
        maxSize: WIDEST,
        sortDescFirst: false,
        meta: { field },
      });
    });
}

function defaultWidth(field: Field): number {
  const { name, label } = field;
  const ofValues = name === 'name' ? NAME_WIDTH : WIDTHS[storageOf(field)];
  return Math.max(ofValues, Math.ceil(label.length * CHARACTER) + CONTROLS);
}

/** Aligned digits make numbers comparable from row to row. */
export function isRightAligned(field: Field): boolean {
  return isNumeric(field);
}
