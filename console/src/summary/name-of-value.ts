/** Values as the bars of a chart are named. */

import type { Field } from '../../../src/catalog/resource.ts';
import type { Value } from '../data/records.ts';
import { formatValue } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';

const countries = new Intl.DisplayNames(undefined, { type: 'region', fallback: 'code' });

export function nameOfValue(value: Value, field: Field): string {
  if (field.kind === 'country' && wordFor(value) === undefined) return nameOfCountry(String(value));
  return formatValue(value, field.type);
}

function nameOfCountry(code: string): string {
  // Anything else is not a region for Intl, and throws.
  const name = /^[A-Z]{2}$/.test(code) ? countries.of(code) : undefined;
  return name === undefined || name === code ? code : `${name} (${code})`;
}
