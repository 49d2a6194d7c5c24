/** stockbook openapi */

import { Command } from 'commander';
import { builtInCatalog } from '../catalog/catalog.ts';
import { openApiDocument } from '../openapi/document.ts';
import { version } from '../version.ts';
import { printResult } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

export function openApiCommand(): Command {
  return addSettingFlags(new Command('openapi'), ['database'])
    .description('print the description of the API as an OpenAPI document, which the service has at /openapi.json')
    .option('--own', 'with the fields of your own that the database has')
    .action(printDocument);
}

async function printDocument({ own }: { readonly own?: true }, command: Command): Promise<void> {
  const print = (catalog = builtInCatalog) =>
    printResult(...JSON.stringify(openApiDocument(version(), catalog), undefined, 2).split('\n'));
  if (own)
    await withStore(command, { create: false, mayBeReadOnly: true }, async (store) =>
      print(await store.fields.catalog()),
    );
  else print();
}
