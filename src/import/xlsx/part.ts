/** A part of a workbook, which is an XML file in its archive, read while it is unpacked. */

import { TextDecoder } from 'node:util';
import { quoted } from '../../problem/quoted.ts';
import { type ReadingCost, UnreadableFile } from '../format.ts';
import { type Attributes, XmlError, type XmlHandler, XmlParser } from './xml.ts';
import { damaged, type ZipArchive } from './zip.ts';

/** The largest part that is not a sheet and not the list of texts, in bytes. Styles may have megabytes. */
const MAX_SMALL_PART = 16 * 1024 * 1024;

/** How deep the elements are whose attributes matter. */
const MAX_PATH = 3;

export async function readSmallPart(
  archive: ZipArchive,
  name: string,
  handler: XmlHandler,
  cost: ReadingCost,
): Promise<void> {
  if (archive.sizeOf(name) > MAX_SMALL_PART)
    throw new UnreadableFile(`${quoted(name)} in the workbook has more than ${MAX_SMALL_PART / 1024 / 1024} MiB.`);
  for await (const _ of readPart(archive, name, { handler, cost, maxBytes: MAX_SMALL_PART }));
}

export interface PartReading {
  readonly handler: XmlHandler;
  readonly cost: ReadingCost;
  readonly maxBytes: number;
  /** Whether the rest of the part does not matter. It is unpacked nevertheless, to know that the file is not damaged. */
  readonly isComplete?: () => boolean;
}

/** Yields whenever the handler has received a piece of text, of 16 KB at most. */
export async function* readPart(
  archive: ZipArchive,
  name: string,
  { handler, cost, maxBytes, isComplete = () => false }: PartReading,
): AsyncIterable<void> {
  const parser = new XmlParser(handler);
  let decoder: TextDecoder | undefined;
  try {
    for await (const bytes of archive.bytes(name, maxBytes)) {
      if (isComplete()) continue;
      decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
      const text = decoder.decode(bytes, { stream: true });
      await cost.step(() => parser.feed(text));
      yield;
    }
    if (!isComplete()) parser.end();
  } catch (error) {
    if (error instanceof XmlError) throw damaged(`in ${quoted(name)}, ${error.message}`);
    if (isEncodingError(error)) throw damaged(`${quoted(name)} is not UTF-8`);
    throw error;
  }
}

/** XML is UTF-8 unless it has the byte order mark of UTF-16. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function isEncodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** For parts of which only attributes of the upper elements matter. The path is that of the element, such as `workbook/sheets/sheet`. */
export function elements(onElement: (path: string, attributes: Attributes) => void): XmlHandler {
  const path: string[] = [];
  return {
    open(element, attributes) {
      path.push(element);
      if (path.length <= MAX_PATH) onElement(path.join('/'), attributes);
    },
    text() {},
    close: () => path.pop(),
  };
}

/** The values of `xsd:boolean` that are true. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
