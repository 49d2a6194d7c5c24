/** The description of the API as a page, one for each catalog. */

import type { Catalog } from '../catalog/catalog.ts';
import { openApiDocument } from '../openapi/document.ts';
import { version } from '../version.ts';
import { kept, newPage, type Page } from './page.ts';

/** Without a key it has built-in fields only, with one also those of operators. */
const VARY = 'authorization, cookie, accept-encoding';

export class Descriptions {
  readonly #pages = new WeakMap<Catalog, Page>();

  of(catalog: Catalog): Page {
    const found = this.#pages.get(catalog);
    if (found !== undefined) return found;
    const document = JSON.stringify(openApiDocument(version(), catalog));
    const page = kept(newPage('application/json', document, { vary: VARY }));
    this.#pages.set(catalog, page);
    return page;
  }
}
