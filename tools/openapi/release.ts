/** npm run release-openapi: records what the API promises from this release on. */

import { writeFile } from 'node:fs/promises';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { version } from '../../src/version.ts';

/** Words may change, the rest not. */
const WORDS = ['description', 'summary', 'example', 'examples', 'info', 'tags'];

const promised = JSON.stringify(openApiDocument(version(), builtInCatalog), (name, value) =>
  WORDS.includes(name) ? undefined : value,
);

await writeFile(new URL('../../test/openapi/released.json', import.meta.url), `${promised}\n`);
