/** Resources as commands name them. */

import { catalog, findResource } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { CommandError } from './command-error.ts';

export const RESOURCE_NAMES = catalog.map(({ name }) => name);

export function chooseResource(name: string): Resource {
  const resource = findResource(name);
  if (resource !== undefined) return resource;
  const meant = nearest(name, RESOURCE_NAMES);
  const help = meant === undefined ? `The resources are ${RESOURCE_NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  throw new CommandError(`There is no resource ${name}. ${help}`, 2);
}
