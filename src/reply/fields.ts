/** The fields of all resources, for programs that adapt to them. */

import { listedField } from '../catalog/listed-field.ts';
import { entityTag, type TagOwner } from './entity-tag.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

/** A tag has the version of the catalog in it, and nothing else changes the fields. */
const UNCHANGED = { generation: 0, revision: 0 };

export function fieldsReply(owner: TagOwner): TextReply {
  const { resources } = owner.catalog;
  const data = resources.flatMap(({ name, fields }) => fields.map((field) => listedField(name, field)));
  const body = JSON.stringify({ data, meta: { count: data.length } });
  return jsonReply(200, cacheable(entityTag(owner, UNCHANGED)), body);
}
