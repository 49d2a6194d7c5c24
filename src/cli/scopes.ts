/** Scopes as commands name them, separated by commas. */

import { isWithin, SCOPES, type Scope } from '../catalog/scopes.ts';
import { nearest } from '../problem/nearest.ts';
import { CommandError } from './command-error.ts';

/** `origin` begins the message about scopes that exclude each other. */
export function readScopes(origin: string, text: string): readonly Scope[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown !== undefined) {
    const meant = nearest(unknown, SCOPES);
    const help = meant === undefined ? `The scopes are ${SCOPES.join(', ')}.` : `Did you mean ${meant}?`;
    throw new CommandError(`There is no scope "${unknown}". ${help}`, 2);
  }
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  for (const scope of scopes) {
    const wider = scopes.find((other) => isWithin(scope, other));
    if (wider !== undefined)
      throw new CommandError(
        `${origin} has both ${wider} and ${scope}, but ${wider} is for all resources. Choose one.`,
        2,
      );
  }
  return scopes;
}
