/**
 * Updates the copy of Scalar in `assets/scalar/`: `npm run scalar -- 1.72.1`.
 *
 * It takes the bundle for browsers from the npm package `@scalar/api-reference`, whose integrity npm verifies. The package
 * itself is not a dependency, since it would install 280 MB for one file of 4 MB.
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
const TARGET = new URL('../assets/scalar/', import.meta.url);

function main(args: readonly string[]): number {
  const [version, ...rest] = args;
  if (version === undefined || rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) {
    process.stderr.write(USAGE);
    return 2;
  }
  const directory = mkdtempSync(join(tmpdir(), 'stockbook-scalar-'));
  try {
    const { integrity, bundle } = download(version, directory);
    // The source map is not served.
    const script = bundle.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
    writeFileSync(new URL('standalone.js.gz', TARGET), gzipSync(script, { level: constants.Z_BEST_COMPRESSION }));
    const sha256 = createHash('sha256').update(script).digest('hex');
    const source = { package: PACKAGE, version, integrity, file: BUNDLE, sha256 };
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

function download(version: string, directory: string): { readonly integrity: string; readonly bundle: string } {
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: directory, encoding: 'utf8', shell: process.platform === 'win32' });
  const packed: readonly Packed[] = JSON.parse(run('npm', 'pack', `${PACKAGE}@${version}`, '--json'));
  const [{ filename, integrity } = { filename: '', integrity: '' }] = packed;
  run('tar', '-xzf', filename, BUNDLE);
  return { integrity, bundle: readFileSync(join(directory, BUNDLE), 'utf8') };
}

process.exitCode = main(process.argv.slice(2));
