/**
 * Builds `@stockbook/client` from `src/client/` and `src/filter/` into `packages/client/dist/`, or the folder that is given. `npm run build`
 * and `npm pack --workspace @stockbook/client` run it, and `npm start` with `--optional`: only if its sources have changed, so that
 * programs in a checkout can import the client.
 *
 * The scripts are readable, since Node prints the line that has thrown: whoever uses them in a web page minifies the page.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isViteMissing } from '../is-vite-missing.ts';
import { sourceHash } from '../source-hash.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const ROOT = path('../../');
const PACKAGE = path('../../packages/client');
const DIST = join(PACKAGE, 'dist');

/** Where `src/client/tsconfig.json` has the declarations. */
const TYPES = path('../../node_modules/.cache/types');

/** What the client in `packages/client/dist/` was built from. Not in there, because everything there is published. */
const STAMP = join(ROOT, 'dist', 'client.sha256');

const SOURCES = ['src/client', 'src/filter', 'tsconfig.base.json', 'tools/client', 'package-lock.json'];

const { values, positionals } = parseArgs({ options: { optional: { type: 'boolean' } }, allowPositionals: true });

try {
  const hash = sourceHash(ROOT, SOURCES);
  if (!values.optional || !isBuilt(hash)) {
    const [folder = DIST] = positionals;
    rmSync(STAMP, { force: true });
    await buildScripts(folder);
    buildTypes(folder);
    if (folder === DIST) {
      mkdirSync(dirname(STAMP), { recursive: true });
      writeFileSync(STAMP, hash);
    }
  }
} catch (error) {
  if (!isViteMissing(error)) throw error;
  process.stderr.write(
    'The client cannot be built without the development dependencies: run "npm ci" without --omit=dev\n',
  );
  process.exitCode = values.optional ? 0 : 1;
}

function isBuilt(hash: string): boolean {
  return existsSync(join(DIST, 'client.js')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash;
}

async function buildScripts(folder: string): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'warn',
    root: PACKAGE,
    build: {
      outDir: folder,
      emptyOutDir: true,
      // What Node 20 understands.
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: {
        input: { client: path('../../src/client/index.ts'), filter: path('../../src/filter/index.ts') },
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', minify: false, comments: { jsdoc: true } },
      },
    },
  });
}

function buildTypes(folder: string): void {
  const compiler = path('../../node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '--build', path('../../src/client')], { stdio: 'inherit' });
  const reachable = new Set(['client/index.d.ts', 'filter/index.d.ts']);
  // A set also visits what is added meanwhile.
  for (const file of reachable) {
    const text = readFileSync(join(TYPES, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
      reachable.add(join(dirname(file), `${target}.d.ts`));
    mkdirSync(join(folder, 'types', dirname(file)), { recursive: true });
    writeFileSync(join(folder, 'types', file), text);
  }
}
