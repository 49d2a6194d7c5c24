/** Resources as commands name them. */

import { catalog, findResource } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { CommandFailure } from './failure.ts';

export const RESOURCE_NAMES = catalog.map(({ name }) => name);

export function chooseResource(name: string): Resource {
  const resource = findResource(name);
  if (resource !== undefined) return resource;
  const meant = nearest(name, RESOURCE_NAMES);
  throw new CommandFailure(
    `There is no resource ${name}. ${meant === undefined ? `There are ${RESOURCE_NAMES.join(', ')}.` : `Did you mean ${meant}?`}`,
    2,
  );
}
