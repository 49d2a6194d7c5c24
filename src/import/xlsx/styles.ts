/** The styles of a workbook, of which only this matters: which of them show a number as a date or a time. */

import { type ReadingCost, UnreadableFile } from '../format.ts';
import { builtInMoment, type Moment, momentOf } from './number-format.ts';
import { elements, readSmallPart } from './part.ts';
import type { ZipArchive } from './zip.ts';

/** Excel has 65,490. */
const MAX_STYLES = 65_536;

/** By the number of the style that a cell has. */
export type Styles = readonly (Moment | undefined)[];

export async function readStyles(archive: ZipArchive, part: string, cost: ReadingCost): Promise<Styles> {
  const custom = new Map<number, Moment | undefined>();
  const ids: number[] = [];
  const handler = elements((path, attributes) => {
    const id = Number(attributes.get('numFmtId') ?? 0);
    if (path === 'styleSheet/numFmts/numFmt') custom.set(id, momentOf(attributes.get('formatCode') ?? ''));
    else if (path === 'styleSheet/cellXfs/xf') ids.push(id);
    if (Math.max(custom.size, ids.length) > MAX_STYLES) {
      throw new UnreadableFile(
        `The workbook has more than ${MAX_STYLES} styles. Save the sheet as CSV, and import that.`,
      );
    }
  });
  await readSmallPart(archive, part, handler, cost);
  return ids.map((id) => (custom.has(id) ? custom.get(id) : builtInMoment(id)));
}
