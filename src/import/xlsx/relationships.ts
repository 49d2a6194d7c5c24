/** Which parts a part of a workbook refers to, by an id. They are in a file beside it: those of `xl/workbook.xml` in `xl/_rels/workbook.xml.rels`. */

import { posix } from 'node:path';
import type { ReadingCost } from '../format.ts';
import { elements, readSmallPart } from './part.ts';
import { XmlError } from './xml.ts';
import type { ZipArchive } from './zip.ts';

export interface Relationship {
  readonly id: string;
  /** The last part of its URI, which is the same in transitional and strict workbooks: `worksheet`. */
  readonly type: string;
  /** The name of the part. */
  readonly part: string;
}

/** Far more than a workbook has. */
const MAX_RELATIONSHIPS = 16_384;

/** In characters. */
const MAX_TARGET = 1_024;

/** None if there is no such file. The source is empty for the archive as a whole. */
export async function readRelationships(
  archive: ZipArchive,
  source: string,
  cost: ReadingCost,
): Promise<readonly Relationship[]> {
  const { dir, base } = posix.parse(source);
  const name = posix.join(dir, '_rels', `${base}.rels`);
  if (!archive.has(name)) return [];
  const found: Relationship[] = [];
  const handler = elements((path, attributes) => {
    if (path !== 'Relationships/Relationship') return;
    const type = attributes.get('Type') ?? '';
    const target = attributes.get('Target') ?? '';
    if (target.length > MAX_TARGET) throw new XmlError(`a target has more than ${MAX_TARGET} characters`);
    found.push({
      id: attributes.get('Id') ?? '',
      type: type.slice(type.lastIndexOf('/') + 1),
      part: target.startsWith('/') ? posix.normalize(target).slice(1) : posix.join(dir, target),
    });
    if (found.length > MAX_RELATIONSHIPS) throw new XmlError(`there are more than ${MAX_RELATIONSHIPS} relationships`);
  });
  await readSmallPart(archive, name, handler, cost);
  return found;
}
