/** The fields of all resources, for programs that adapt to them. */

import type { Field } from '../catalog/resource.ts';
import { entityTag, type TagOwner } from './entity-tag.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

/** A tag has the version of the catalog in it, and nothing else changes the fields. */
const UNCHANGED = { generation: 0, revision: 0 };

export function fieldsReply(owner: TagOwner): TextReply {
  const { resources } = owner.catalog;
  const data = resources.flatMap(({ name, fields }) => fields.map((field) => fieldMembers(name, field)));
  const body = JSON.stringify({ data, meta: { count: data.length } });
  return jsonReply(200, cacheable(entityTag(owner, UNCHANGED)), body);
}

export function fieldMembers(resource: string, field: Field): object {
  const { name, label, type, nullable, initial, meaning, choices, indexed, searched, isOwn } = field;
  return {
    resource,
    name,
    label,
    type,
    meaning,
    nullable,
    default: initial.kind === 'value' ? initial.value : null,
    choices: choices ?? null,
    indexed: indexed === true,
    searched: searched === true,
    builtIn: isOwn !== true,
  };
}
