/** JSON as the document is built from it. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [member: string]: Json;
}

/** A reference to a component of the document. */
export function reference(kind: 'schemas' | 'responses', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Generators take an object of which nothing else is said for one that has no members. */
export const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

export function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}
