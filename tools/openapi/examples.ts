/** npm run openapi-examples: writes `src/openapi/examples.ts`. */

import { writeFile } from 'node:fs/promises';
import { recordExamples } from './record-examples.ts';

const HEADER = `/** Recorded by \`npm run openapi-examples\`. A test repeats the requests and compares the responses. */

import type { Json } from './json.ts';

export const examples: Readonly<Record<string, { readonly request: string; readonly response: Json }>> = `;

await writeFile(
  new URL('../../src/openapi/examples.ts', import.meta.url),
  `${HEADER}${JSON.stringify(await recordExamples(), undefined, 2)};\n`,
);
