/** Columns in another order. */

/** The field, moved in front of another one, or to the end if that is undefined. */
export function moveField(fields: readonly string[], field: string, before: string | undefined): readonly string[] {
  if (field === before) return fields;
  const others = fields.filter((name) => name !== field);
  const at = before === undefined ? others.length : others.indexOf(before);
  return others.toSpliced(at, 0, field);
}

/** The field, moved by this many columns. It stays at the edge. */
export function shiftField(fields: readonly string[], field: string, by: number): readonly string[] {
  const at = Math.max(0, Math.min(fields.indexOf(field) + by, fields.length - 1));
  return fields.filter((name) => name !== field).toSpliced(at, 0, field);
}
