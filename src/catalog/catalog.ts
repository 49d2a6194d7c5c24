/** Every resource that Stockbook serves, and the fields that a deployment has. */

import { company } from './company.ts';
import { partner } from './partner.ts';
import { product } from './product.ts';
import { BUILT_IN, type Field, type Resource, type ResourceOutline } from './resource.ts';

const declared: readonly Resource[] = [product, partner, company];

/** The same in every deployment; a catalog has their fields. */
export const resources: readonly ResourceOutline[] = declared;

export function findResource(name: string): ResourceOutline | undefined {
  return resources.find((resource) => resource.name === name);
}

/** All resources with all their fields, as a database defines them. */
export class Catalog {
  /** Differs from that of every other catalog that the database has had. 0 if all fields are built in. */
  readonly version: number;
  readonly resources: readonly Resource[];

  constructor(version: number, all: readonly Resource[]) {
    this.version = version;
    this.resources = all;
  }

  /** A resource with its fields. */
  of({ name }: ResourceOutline): Resource {
    const resource = this.find(name);
    if (resource === undefined) throw new Error(`the catalog has no resource ${name}`);
    return resource;
  }

  find(name: string): Resource | undefined {
    return this.resources.find((resource) => resource.name === name);
  }
}

/** Without fields of anybody's own. */
export const builtInCatalog = new Catalog(BUILT_IN, declared);

/** A resource from another thread, with the built-in fields of this one: fields are compared by identity. */
export function adopted(resource: Resource): Resource {
  const known = declared.find(({ name }) => name === resource.name);
  const own = (field: Field) => (field.isOwn || known === undefined ? undefined : findField(known, field.name));
  return { ...resource, fields: resource.fields.map((field) => own(field) ?? field) };
}

export function findField(resource: Resource, name: string): Field | undefined {
  return resource.fields.find((field) => field.name === name);
}
