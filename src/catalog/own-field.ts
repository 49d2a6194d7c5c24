/**
 * Fields that an operator adds to a resource. They belong to a deployment, not to one account, and are fields like all others: whatever derives from
 * the catalog treats them the same.
 */

import { Catalog, findField } from './catalog.ts';
import { canBeKey, type Field, type Resource } from './resource.ts';
import { columnHeading } from './sheet.ts';
import { lettersOf } from './spelling.ts';
import { Mismatch, type Value } from './value.ts';
import { type ValueType, valueTypes } from './value-types.ts';

/** What an operator says about a field, and the database keeps. */
export interface OwnField {
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly meaning: string;
  /** Null if records may have none. */
  readonly initial: Value | null;
  /** The texts that it can hold; any if undefined. */
  readonly choices?: readonly string[];
  readonly indexed?: true;
  readonly searched?: true;
  readonly unique?: true;
}

/** The most fields that can be added to a resource. */
const MAX_OWN_FIELDS = 200;

const MAX_CHOICES = 200;
const MAX_CHOICE_LENGTH = 60;
const MAX_LABEL_LENGTH = 60;
export const MAX_MEANING_LENGTH = 200;
/** With what precedes and follows it, it has to be a name in PostgreSQL: `product_own_…_fold_search`. */
const MAX_NAME_LENGTH = 35;

/** The group in which a record shows them. */
const GROUP = 'More';

/** Their columns have a prefix of their own, so that no later version of Stockbook can need one of the same name. */
function ownColumn(name: string): string {
  return `own_${name}`;
}

export function fieldOf({ initial, choices, ...definition }: OwnField): Field {
  const { name, type, unique } = definition;
  return {
    ...definition,
    ...(unique && { indexed: true }),
    column: ownColumn(name),
    nullable: initial === null,
    initial: { kind: 'value', value: initial },
    group: GROUP,
    // There may be many, so they are not among the first columns.
    secondary: true,
    isOwn: true,
    ...(choices && { choices }),
    // Their values can be listed.
    ...((choices !== undefined || type === 'boolean') && { category: true }),
  };
}

/**
 * The catalog with these fields, by the names of their resources. A field hides a built-in one of the same name: it was there
 * first, and clients that use it must not get other values after an upgrade.
 */
export function catalogWith(builtIn: Catalog, version: number, own: ReadonlyMap<string, readonly OwnField[]>): Catalog {
  const resources = builtIn.resources.map((resource): Resource => {
    const added = (own.get(resource.name) ?? []).map(fieldOf);
    const names = added.map(({ name }) => name);
    const fields = [...resource.fields.filter(({ name }) => !names.includes(name)), ...added];
    const creatable = resource.isCreatable ? [...new Set([...resource.creatable, ...names])] : [];
    return { ...resource, version, fields, creatable };
  });
  return new Catalog(version, resources);
}

/** Those of a resource that are not built in. */
export function ownFieldsOf({ fields }: Resource): readonly Field[] {
  return fields.filter(({ isOwn }) => isOwn);
}

/** The column of an import that marks removed records. */
const REMOVED = 'removed';

/** Words that mean something else where a field could be named. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ...['null', 'true', 'false'].map((word) => [word, 'is a value in filters'] as const),
  ...['count', 'sum', 'avg', 'min', 'max'].map((word) => [word, 'is a measure of aggregates'] as const),
  ...['value', 'relevance'].map((word) => [word, 'is an order of lists'] as const),
  [REMOVED, 'marks removed records in imports and changes'],
  ['resource', 'is an argument of tools'],
  ['idempotency_key', 'is an argument of tools that create records'],
]);

/** In a program, a record without the field would seem to have a value. */
function ofObjects(name: string): string | undefined {
  return name in {} ? 'is what all objects have in JavaScript' : undefined;
}

/** Whether something that was read is the definition of a field. */
export function isOwnField(value: unknown): value is OwnField {
  if (typeof value !== 'object' || value === null) return false;
  const { name, label, type, meaning, initial, choices, indexed, searched, unique }: Record<string, unknown> = {
    ...value,
  };
  const isText = (text: unknown) => typeof text === 'string';
  return (
    isName(name) &&
    isText(label) &&
    isText(meaning) &&
    typeof type === 'string' &&
    Object.hasOwn(valueTypes, type) &&
    (initial === null || isText(initial) || typeof initial === 'number' || typeof initial === 'boolean') &&
    (choices === undefined || (Array.isArray(choices) && choices.every(isText))) &&
    [indexed, searched, unique].every((flag) => flag === undefined || flag === true)
  );
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-z][a-z0-9_]*$/.test(name) && name.length <= MAX_NAME_LENGTH;
}

/** Why a field cannot be added, in a sentence; undefined if it can. `parameters` are the names of those that requests have. */
export function flawOf(field: OwnField, resource: Resource, parameters: readonly string[]): string | undefined {
  const { name, label, meaning, initial } = field;
  if (!isName(name))
    return `"${name}" cannot be the name of a field: a name consists of lowercase letters, digits and _, begins with a letter, and has at most ${MAX_NAME_LENGTH} characters.`;
  const reserved = parameters.includes(name) ? 'is a parameter of requests' : (RESERVED.get(name) ?? ofObjects(name));
  if (reserved !== undefined) return `"${name}" is reserved: it ${reserved}. x_${name} is not.`;
  if (/_(?:fold|compact|search)$/.test(name))
    return `"${name}" is reserved: the database uses names that end like this.`;
  if (findField(resource, name) !== undefined) return `There is a field ${name} already.`;
  if (ownFieldsOf(resource).length >= MAX_OWN_FIELDS)
    return `There are ${MAX_OWN_FIELDS} fields of your own already, and ${resource.plural} can have no more.`;
  return (
    labelFlaw(field, resource) ??
    lengthFlaw('label', label, MAX_LABEL_LENGTH) ??
    lengthFlaw('description', meaning, MAX_MEANING_LENGTH) ??
    choicesFlaw(field) ??
    (field.searched && !isTextual(field) ? 'Only text is searched.' : undefined) ??
    uniqueFlaw(field) ??
    initialFlaw(field, initial)
  );
}

/** Imports find columns by labels and names, however they are spelled. */
function labelFlaw({ name, label }: OwnField, { fields }: Resource): string | undefined {
  const others = fields.filter((field) => field.name !== name);
  if (lettersOf(label) === REMOVED)
    return `"${label}" cannot be a label: a column of this name marks removed records in imports.`;
  for (const text of [name, label]) {
    const taken = others.find((other) =>
      [other.name, other.label, columnHeading(other)].some((word) => lettersOf(word) === lettersOf(text)),
    );
    if (taken !== undefined)
      return `"${text}" is too similar to the field ${taken.name}, whose label is "${taken.label}". Choose another ${text === label ? 'label' : 'name'}.`;
  }
  return undefined;
}

function lengthFlaw(what: string, text: string, max: number): string | undefined {
  if (text.trim() === '') return `The ${what} is empty.`;
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return `The ${what} contains control characters.`;
  return [...text].length > max ? `The ${what} has more than ${max} characters.` : undefined;
}

function choicesFlaw({ choices, type }: OwnField): string | undefined {
  if (choices === undefined) return undefined;
  if (type !== 'text') return 'Only text has choices.';
  if (choices.length === 0) return 'There are no choices.';
  if (choices.length > MAX_CHOICES) return `There are more than ${MAX_CHOICES} choices.`;
  if (new Set(choices).size < choices.length) return 'A choice is repeated.';
  const wrong = choices.find((choice) => choice.trim() === '' || choice !== choice.trim() || /[\p{Cc},]/u.test(choice));
  if (wrong !== undefined) return `"${wrong}" cannot be a choice: it is empty, or has a comma, or spaces around it.`;
  const long = choices.find((choice) => [...choice].length > MAX_CHOICE_LENGTH);
  return long === undefined ? undefined : `A choice has more than ${MAX_CHOICE_LENGTH} characters: ${long}`;
}

function isTextual({ type }: OwnField): boolean {
  return valueTypes[type].operatorClass === 'text';
}

function uniqueFlaw(field: OwnField): string | undefined {
  if (!field.unique) return undefined;
  if (field.choices !== undefined) return 'A choice cannot be unique: many records have the same.';
  if (!canBeKey(field)) return 'Only text and integers can be unique.';
  return field.initial === null ? undefined : 'A field with a default cannot be unique: many records would have it.';
}

function initialFlaw(field: OwnField, initial: Value | null): string | undefined {
  if (initial === null) return undefined;
  const value = valueTypes[field.type].fromJson(initial, fieldOf(field));
  return value instanceof Mismatch ? `The default ${value.requirement}.` : undefined;
}

/** Why a field cannot be changed like this; undefined if it can. Records keep their values, so choices can only be added. */
export function changeFlaw(before: OwnField, after: OwnField, resource: Resource): string | undefined {
  const missing = before.choices?.find((choice) => !after.choices?.includes(choice));
  if (missing !== undefined)
    return `The choice ${missing} is missing: records may have it, so choices can only be added.`;
  if (before.choices === undefined && after.choices !== undefined)
    return 'The field holds any text, and records may have others than these.';
  return (
    labelFlaw(after, resource) ??
    lengthFlaw('label', after.label, MAX_LABEL_LENGTH) ??
    lengthFlaw('description', after.meaning, MAX_MEANING_LENGTH) ??
    choicesFlaw(after) ??
    (after.searched && !isTextual(after) ? 'Only text is searched.' : undefined) ??
    uniqueFlaw(after)
  );
}
