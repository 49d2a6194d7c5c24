/** Every resource that Stockbook serves. */

import { company } from './company.ts';
import { partner } from './partner.ts';
import { product } from './product.ts';
import type { Field, Resource } from './resource.ts';

export const catalog: readonly Resource[] = [product, partner, company];

export function findResource(name: string): Resource | undefined {
  return catalog.find((resource) => resource.name === name);
}

export function findField(resource: Resource, name: string): Field | undefined {
  return resource.fields.find((field) => field.name === name);
}
