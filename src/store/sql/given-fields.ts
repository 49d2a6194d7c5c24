/** Which fields an incoming row gives: a bit for each, in as many integer columns of the temporary table as it takes. */

import type { Field, Resource } from '../../catalog/resource.ts';
import type { TypedColumn } from './dialect.ts';
import { integerOf, type Row } from './row.ts';
import { join, type Sql, sql, trusted } from './sql.ts';

/** JavaScript's bitwise operators handle 32 bits, one of which is the sign. */
const BITS_PER_COLUMN = 31;

export function givenColumns(resource: Resource): readonly TypedColumn[] {
  return Array.from({ length: Math.ceil(resource.fields.length / BITS_PER_COLUMN) }, (_, index) => ({
    name: columnName(index),
    storage: 'integer',
  }));
}

/** Which of `givenColumns` has the bit of a field, and the bit's value. */
export function bitOf(resource: Resource, field: Field): { readonly column: number; readonly bit: number } {
  const place = resource.fields.indexOf(field);
  return { column: Math.floor(place / BITS_PER_COLUMN), bit: 1 << (place % BITS_PER_COLUMN) };
}

export function isGiven(resource: Resource, field: Field): Sql {
  const { column, bit } = bitOf(resource, field);
  return trusted(`${columnName(column)} & ${bit} <> 0`);
}

/** True if a row does not give all of these fields. */
export function lacksAny(resource: Resource, fields: readonly Field[]): Sql {
  const masks = givenColumns(resource).map(({ name }, index) => {
    const bits = fields.map((field) => bitOf(resource, field)).filter(({ column }) => column === index);
    const mask = bits.reduce((sum, { bit }) => sum + bit, 0);
    return trusted(`${name} & ${mask} <> ${mask}`);
  });
  return sql`(${join(masks, ' OR ')})`;
}

export function gives(row: Row, resource: Resource, field: Field): boolean {
  const { column, bit } = bitOf(resource, field);
  return (integerOf(row, columnName(column)) & bit) !== 0;
}

function columnName(index: number): string {
  return `given_${index}`;
}
