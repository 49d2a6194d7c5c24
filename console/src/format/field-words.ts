/** Fields in words. People see labels; the names that the API has are in tooltips, in the record and in code. */

import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { timeZone } from './local-time.ts';

/** A name that no field has stays as it is: a link or a filter may have one. */
export function labelOf(resource: Resource, name: string): string {
  return findField(resource, name)?.label ?? name;
}

/** A sentence of the API that begins with the name of a field: "list_price must be a number" becomes "Sales price must be a number". */
export function withLabel(resource: Resource, sentence: string): string {
  const [name = ''] = sentence.split(' ', 1);
  return labelOf(resource, name) + sentence.slice(name.length);
}

/** What the label does not say already. */
export function explanationOf({ label, meaning }: Field): string | undefined {
  return meaning.toLowerCase() === label.toLowerCase() ? undefined : meaning;
}

/** For a tooltip. Times are shown in the reader's time zone, which their values do not name. */
export function describeField(field: Field): string {
  const { name, meaning, type } = field;
  const zone = storageOf(field) === 'timestamp' ? `, shown in ${timeZone()}` : '';
  return `${meaning}\n${name} (${type}${zone})`;
}
