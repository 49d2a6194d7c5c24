/** Pairs of a field of Stockbook and one of Odoo, as options and files have them. */

import { isResourceName } from '../../connectors/mirror/account.ts';
import type { AddedField } from '../../connectors/odoo/mapping.ts';
import { CommandError } from '../command-error.ts';
import { readText } from '../files.ts';
import { RESOURCE_NAMES } from '../resources.ts';

/** `x_weight=weight` is about products. `where` is what an error begins with. */
export function readPair(where: string, text: string): AddedField {
  const [, resource = 'product', field, odoo] = /^\s*(?:(\w+)\.)?(\w+)\s*=\s*(\w+)\s*$/.exec(text) ?? [];
  if (field === undefined || odoo === undefined)
    throw new CommandError(`${where} must be a pair such as x_weight=weight, not "${text.trim()}".`, 2);
  if (!isResourceName(resource))
    throw new CommandError(`${where}: ${resource} is none of ${RESOURCE_NAMES.join(', ')}.`, 2);
  return { resource, field, odoo };
}

/** A pair in every line, and comments. */
export function readMapping(path: string): readonly AddedField[] {
  return readText(path)
    .split('\n')
    .flatMap((line, index) => {
      const text = line.replace(/#.*/, '');
      return text.trim() === '' ? [] : [readPair(`${path}, line ${index + 1}`, text)];
    });
}
