/**
 * What keys permit: `read`; `write`, which is to create what can be created; and `edit`, which is to change, remove and import records. Each is
 * for all resources, including those that are added later; `product:read` is for one. The table derives from the catalog: resources that cannot
 * be created have no `:write`.
 */

import { resources } from './catalog.ts';
import type { ResourceOutline } from './resource.ts';

const ACTIONS = ['read', 'write', 'edit'] as const;
export type Action = (typeof ACTIONS)[number];

/** A key with `sign-in` permits nothing but to be exchanged for another. */
export type Scope = Action | `${string}:${Action}` | 'sign-in';

/** What a key permits unless it is issued with other scopes. */
export const DEFAULT_SCOPES: readonly Scope[] = ['read', 'write'];

/** What keys can be issued for. */
export const SCOPES: readonly Scope[] = [
  ...ACTIONS,
  ...resources.flatMap((resource) => actionsOf(resource).map((action) => scopeFor(action, resource))),
];

/** Those that permit editing the records of some resource. */
export const EDIT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope === 'edit' || scope.endsWith(':edit'));

/** Which scopes permit an action on a resource. One of them is enough; the first one permits nothing else. */
export function permittingScopes(action: Action, resource: ResourceOutline): readonly [Scope, ...Scope[]] {
  return [scopeFor(action, resource), action];
}

/** `scopes` may have words that only other versions of Stockbook know. They permit nothing. */
export function permits(scopes: readonly string[], action: Action, resource: ResourceOutline): boolean {
  return isPossible(action, resource) && permittingScopes(action, resource).some((scope) => scopes.includes(scope));
}

/** Whether all that one scope permits is permitted by the other, a different one. */
export function isWithin(scope: Scope, other: Scope): boolean {
  return scope.endsWith(`:${other}`);
}

export function isPossible(action: Action, resource: ResourceOutline): boolean {
  return actionsOf(resource).includes(action);
}

function actionsOf({ isCreatable }: ResourceOutline): readonly Action[] {
  return ACTIONS.filter((action) => action !== 'write' || isCreatable);
}

function scopeFor(action: Action, { name }: ResourceOutline): Scope {
  return `${name}:${action}`;
}
