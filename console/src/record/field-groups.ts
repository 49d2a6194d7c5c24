/** The fields of a record under their headings. Those without one come first; a group is where its first field is. */

import type { Field } from '../../../src/catalog/resource.ts';

export interface FieldGroup {
  /** Undefined for the first. */
  readonly heading: string | undefined;
  readonly fields: readonly Field[];
}

export function groupsOf(fields: readonly Field[]): readonly FieldGroup[] {
  const main = fields.filter(({ group }) => group === undefined);
  const groups = Map.groupBy(
    fields.filter(({ group }) => group !== undefined),
    ({ group }) => group,
  );
  // What the service knows about every record is the last thing that people look for.
  const others = [...groups].map(([heading, grouped]) => ({ heading, fields: grouped }));
  const ofService = others.filter((group) => group.fields.some(({ initial }) => initial.kind === 'id'));
  const ofPeople = others.filter((group) => !ofService.includes(group));
  return [{ heading: undefined, fields: main }, ...ofPeople, ...ofService].filter(({ fields }) => fields.length > 0);
}
