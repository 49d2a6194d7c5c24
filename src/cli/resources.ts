/** Resources as commands name them. */

import { findResource, resources } from '../catalog/catalog.ts';
import type { ResourceOutline } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { CommandError } from './command-error.ts';

export const RESOURCE_NAMES = resources.map(({ name }) => name);

export function chooseResource(name: string): ResourceOutline {
  const resource = findResource(name);
  if (resource !== undefined) return resource;
  const meant = nearest(name, RESOURCE_NAMES);
  const help = meant === undefined ? `The resources are ${RESOURCE_NAMES.join(', ')}.` : `Did you mean ${meant}?`;
  throw new CommandError(`There is no resource ${name}. ${help}`, 2);
}
