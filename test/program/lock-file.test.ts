/** package-lock.json, which `npm ci` installs from. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lock: { packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
);

interface LockedPackage {
  readonly resolved?: string;
  /** A workspace, whose folder is what is resolved. */
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

test('contains the optional packages of every platform; npm ci fails if one is missing', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !lock.packages[`${path}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('names no registry, so that any mirror can be used', () => {
  expect(Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([]);
});
