/**
 * Which fields can change without a new `write_date` of their record, so that the mirror only notices when it compares everything. `write_date` moves if the
 * record is written, but not if Odoo computes a value from other records, and not if a record that a field refers to is removed or merged.
 */

import type { OdooField } from './reader.ts';

/** The fields of a model, and those of the one that it inherits from through a field, whose writes move its times too. */
export interface ModelFields {
  readonly own: readonly OdooField[];
  readonly inherited?: { readonly through: string; readonly fields: readonly OdooField[] } | undefined;
}

const REFERENCES = new Set(['many2one', 'reference', 'many2one_reference']);

/** Why a field can change in silence; undefined if it cannot, as far as Odoo tells. */
export function silentReason(name: string, { own, inherited }: ModelFields): string | undefined {
  return reasonIn(name, byName(own), inherited && { ...inherited, fields: byName(inherited.fields) }, new Set());
}

interface Inherited {
  readonly through: string;
  readonly fields: ReadonlyMap<string, OdooField>;
}

function reasonIn(
  name: string,
  fields: ReadonlyMap<string, OdooField>,
  inherited: Inherited | undefined,
  seen: Set<string>,
): string | undefined {
  const field = fields.get(name);
  // Fields may depend on each other.
  if (field === undefined || seen.has(name)) return undefined;
  seen.add(name);
  if (REFERENCES.has(field.type))
    return name === inherited?.through ? undefined : 'a record that it refers to may be removed or merged';
  if (field.isPerCompany) return undefined;
  if (!field.isStored && field.depends.length === 0) return 'Odoo computes it';
  for (const path of field.depends) {
    const [first = '', ...rest] = path.split('.');
    if (rest.length === 0) {
      const type = fields.get(first)?.type;
      if (type === 'one2many') return `it depends on ${first}`;
      // Of a reference, it is the id that counts.
      const reason = REFERENCES.has(type ?? '') ? undefined : reasonIn(first, fields, inherited, seen);
      if (reason !== undefined) return reason;
    } else if (first === inherited?.through && rest.length === 1) {
      const reason = reasonIn(rest.join('.'), inherited.fields, undefined, new Set());
      if (reason !== undefined) return reason;
    } else return `it depends on ${path}`;
  }
  return undefined;
}

function byName(fields: readonly OdooField[]): ReadonlyMap<string, OdooField> {
  return new Map(fields.map((field) => [field.name, field]));
}
