import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lock: { packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
);

interface LockedPackage {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

test('the lock file has the packages of every platform: without one of them, npm ci fails there and here', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !lock.packages[`${path}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
