/** The formats of files that can be imported, as far as it has to be known which one a file has. */

import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { xlsx } from './xlsx.ts';

export interface ImportFormat extends Pick<Format<unknown>, 'extensions' | 'mediaTypes' | 'isCompressed' | 'unit'> {
  readonly name: 'csv' | 'xlsx' | 'ndjson' | 'json' | 'any';
}

export const importFormats: readonly ImportFormat[] = [
  { ...csv, name: 'csv' },
  { ...xlsx, name: 'xlsx' },
  { ...ndjson, name: 'ndjson' },
  { ...json, name: 'json' },
];

/** Whatever the content shows. */
export const anyFormat: ImportFormat = {
  name: 'any',
  extensions: [],
  mediaTypes: ['application/octet-stream'],
  isCompressed: true,
  unit: 'line',
};
