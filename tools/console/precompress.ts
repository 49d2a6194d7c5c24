/** Compresses the assets of the console as small as possible, next to each: `main.js.br` and `main.js.gz`. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export interface CompressedSize {
  readonly br: number;
  readonly gzip: number;
}

/** Other files, such as fonts and photos, are compressed already. */
const TEXT = /\.(?:js|css|svg)$/;

/** The sizes by name, in bytes. */
export async function precompress(folder: string): Promise<ReadonlyMap<string, CompressedSize>> {
  const names = readdirSync(folder).filter((name) => TEXT.test(name));
  const sizes = await Promise.all(
    names.map(async (name) => {
      const bytes = readFileSync(join(folder, name));
      const [br, gz] = await Promise.all([
        brotli(bytes),
        promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
      ]);
      writeFileSync(join(folder, `${name}.br`), br);
      writeFileSync(join(folder, `${name}.gz`), gz);
      return [name, { br: br.length, gzip: gz.length }] as const;
    }),
  );
  return new Map(sizes);
}

function brotli(bytes: Buffer): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}
