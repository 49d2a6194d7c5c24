/** stockbook openapi */

import { Command } from 'commander';
import { builtInCatalog } from '../catalog/catalog.ts';
import { openApiDocument } from '../openapi/document.ts';
import { version } from '../version.ts';
import { printResult } from './output.ts';

export function openApiCommand(): Command {
  return new Command('openapi')
    .description('print the description of the API as an OpenAPI document, which the service has at /openapi.json')
    .action(() => printResult(...JSON.stringify(openApiDocument(version(), builtInCatalog), undefined, 2).split('\n')));
}
