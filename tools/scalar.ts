/**
 * Updates the copy of Scalar in `assets/scalar/`: `npm run scalar -- 1.72.1`.
 *
 * It takes the bundle for browsers from the npm package `@scalar/api-reference`, whose integrity npm verifies. The package
 * itself is not a dependency, since it would install 280 MB for one file of 4 MB. The source map of the bundle says which packages
 * it contains; the bill of materials lists them.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const USAGE = `Usage: npm run scalar -- VERSION

Replaces the copy of Scalar in assets/scalar/ by this version of @scalar/api-reference.
`;

const PACKAGE = '@scalar/api-reference';
const BUNDLE = 'package/dist/browser/standalone.js';
const SOURCE_MAP = `${BUNDLE}.map`;
const TARGET = new URL('../assets/scalar/', import.meta.url);

function main(args: readonly string[]): number {
  const [version, ...rest] = args;
  if (version === undefined || rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const directory = mkdtempSync(join(tmpdir(), 'stockbook-scalar-'));
  try {
    const { integrity, bundle, contents } = download(version, directory);
    // The source map is not served.
    const script = bundle.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
    writeFileSync(new URL('standalone.js.gz', TARGET), gzipSync(script, { level: constants.Z_BEST_COMPRESSION }));
    const sha256 = createHash('sha256').update(script).digest('hex');
    const source = { package: PACKAGE, version, integrity, file: BUNDLE, sha256, contents };
    writeFileSync(new URL('source.json', TARGET), `${JSON.stringify(source, undefined, 2)}\n`);
  } finally {
    rmSync(directory, { recursive: true });
  }
  process.stdout.write(`Wrote assets/scalar/. Run "npx vitest run test/pages", and look at /docs in a browser.\n`);
  return 0;
}

/** What `npm pack --json` prints. */
interface Packed {
  readonly filename: string;
  readonly integrity: string;
}

interface Downloaded {
  readonly integrity: string;
  readonly bundle: string;
  readonly contents: readonly string[];
}

function download(version: string, directory: string): Downloaded {
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: directory, encoding: 'utf8', shell: process.platform === 'win32' });
  const read = (path: string) => readFileSync(join(directory, path), 'utf8');
  const packed: readonly Packed[] = JSON.parse(run('npm', 'pack', `${PACKAGE}@${version}`, '--json'));
  const [{ filename, integrity } = { filename: '', integrity: '' }] = packed;
  run('tar', '-xzf', filename, BUNDLE, SOURCE_MAP);
  // Resolves the versions without installing anything.
  run('npm', 'install', '--package-lock-only', '--ignore-scripts', `${PACKAGE}@${version}`);
  const { sources }: { readonly sources: readonly string[] } = JSON.parse(read(SOURCE_MAP));
  const { packages }: Lock = JSON.parse(read('package-lock.json'));
  return { integrity, bundle: read(BUNDLE), contents: contentsOf(sources, packages) };
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

/** The packages that sources are from, other than Scalar's own: `vue@3.5.40`. */
function contentsOf(sources: readonly string[], locked: Lock['packages']): readonly string[] {
  const contents = sources.flatMap((source) => {
    // .../.pnpm/@unhead+vue@2.1.12_vue@3.5.40/node_modules/@unhead/vue/dist/index.mjs
    const [, folder = '', name] = /\.pnpm\/([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
    if (name !== undefined) return `${name}@${/[^_(]+/.exec(folder.slice(name.length + 1))?.[0]}`;
    // A neighbour in Scalar's repository: ../../../types/dist/index.js
    const [, neighbour] = /^(?:\.\.\/){3}([^./]+)\//.exec(source) ?? [];
    if (neighbour === undefined) return [];
    const found = locked[`node_modules/@scalar/${neighbour}`];
    if (found === undefined) throw new Error(`${source} is from a package that ${PACKAGE} does not depend on`);
    return `@scalar/${neighbour}@${found.version}`;
  });
  return [...new Set(contents)].toSorted();
}

process.exitCode = main(process.argv.slice(2));
