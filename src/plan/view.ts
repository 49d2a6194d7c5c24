/** The id and the body of a request that saves a view to the view. */

import { resources } from '../catalog/catalog.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { textRequirement } from './text-member.ts';

export interface NewView {
  /** Chosen by the client, so that repeating a request does not save a view twice. Unique in the account. */
  readonly id: string;
  /** Unique among the views of its resource. */
  readonly name: string;
  /** The name of the resource. */
  readonly resource: string;
  /** The query string of the console. */
  readonly query: string;
  /** Whether it is what the console shows first of the resource. At most one view of each is. */
  readonly isFirstPage: boolean;
}

/** The maximum number of characters of a name. */
export const MAX_VIEW_NAME = 100;

/** The maximum number of characters of a query string: a longer one would not fit into the address of a page everywhere. */
export const MAX_VIEW_QUERY = 8_000;

/** In a path, none of these characters needs to be encoded. */
const ID = /^[A-Za-z0-9_-]{1,64}$/;

export function isViewId(id: string): boolean {
  return ID.test(id);
}

const MEMBERS: readonly string[] = ['name', 'resource', 'query', 'isFirstPage'];

/** What a response has besides. It is ignored, so that a view can be read, changed and sent back. */
const OF_RESPONSES: readonly string[] = ['id', 'savedAt', 'etag'];

export function planView(id: string, body: unknown): NewView | Problem {
  if (!isViewId(id))
    return new Problem('invalid_view_id', `${quoted(id)} cannot be the id of a view.`, {
      suggestion: 'Use 1 to 64 letters, digits, hyphens and underscores.',
    });
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return new Problem('invalid_body', 'The body is not a JSON object.', { suggestion: EXAMPLE });
  const members = new Map<string, unknown>(Object.entries(body));
  const unknown = [...members.keys()].find((member) => !MEMBERS.includes(member) && !OF_RESPONSES.includes(member));
  if (unknown !== undefined) return unknownMember(unknown);
  const name = readName(members.get('name'));
  if (name instanceof Problem) return name;
  const resource = readResource(members.get('resource'));
  if (resource instanceof Problem) return resource;
  const query = readQuery(members.get('query'));
  if (query instanceof Problem) return query;
  const isFirstPage = members.get('isFirstPage') ?? false;
  if (typeof isFirstPage !== 'boolean') return invalid('isFirstPage', 'must be true or false');
  return { id, name, resource, query, isFirstPage };
}

const EXAMPLE =
  'Send an object such as {"name":"Low stock","resource":"product","query":"filter=qty_available<5&sort=qty_available"}.';

function readName(json: unknown): string | Problem {
  const name = readText('name', typeof json === 'string' ? json.trim() : json, MAX_VIEW_NAME);
  return typeof name === 'string' && !VISIBLE.test(name) ? invalid('name', 'must not be blank') : name;
}

/** A letter, a mark, a digit or a sign. */
const VISIBLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;

function readResource(json: unknown): string | Problem {
  const names = resources.map(({ name }) => name);
  if (typeof json !== 'string')
    return json === undefined ? missing('resource') : invalid('resource', 'must be a string');
  if (names.includes(json)) return json;
  const meant = nearest(json, names);
  return new Problem('invalid_body', `There is no resource ${quoted(json)}.`, {
    parameter: 'resource',
    suggestion: meant === undefined ? `The resources are ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

/** Without the question mark, with which some would begin it. */
function readQuery(json: unknown): string | Problem {
  const query = readText('query', json, MAX_VIEW_QUERY);
  return typeof query === 'string' ? query.replace(/^\?/, '') : query;
}

function readText(member: string, json: unknown, maxLength: number): string | Problem {
  if (typeof json !== 'string') return json === undefined ? missing(member) : invalid(member, 'must be a string');
  const requirement = textRequirement(json, maxLength);
  return requirement === undefined ? json : invalid(member, requirement);
}

function missing(member: string): Problem {
  return new Problem('invalid_body', `${member} is missing.`, { parameter: member, suggestion: EXAMPLE });
}

function invalid(member: string, requirement: string): Problem {
  return new Problem('invalid_body', `${member} ${requirement}.`, { parameter: member, suggestion: EXAMPLE });
}

function unknownMember(member: string): Problem {
  const meant = nearest(member, MEMBERS);
  return new Problem('invalid_body', `A view has no member ${quoted(member)}.`, {
    parameter: truncated(member),
    suggestion: meant === undefined ? `Send only ${MEMBERS.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
