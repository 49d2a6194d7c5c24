/**
 * Builds `@stockbook/client` from `src/client/` and `src/filter/` into `packages/client/dist/`, or the folder that is given. `npm run build`
 * and `npm pack --workspace @stockbook/client` run it.
 *
 * The scripts are minified, and of the comments only those remain that editors show for what programs call, so that the package stays
 * below 28 KB.
 */

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const PACKAGE = path('../../packages/client');

const [folder = join(PACKAGE, 'dist')] = process.argv.slice(2);

/** The declarations of the methods, of their options and of what they throw. */
const DOCUMENTED = /\/(stockbook|resource|query|connection|idempotency-key|imports?|sign-in)\.d\.ts$/;

const COMMENT = /^ *\/\*\*[\s\S]*?\*\/\n/gm;

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
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', minify: true },
    },
  },
});

const types = join(folder, 'types');
const compiler = path('../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '--project', PACKAGE, '--outDir', types], { stdio: 'inherit' });
const reachable = new Set(['client', 'filter'].map((entry) => join(types, entry, 'index.d.ts')));
// A set also visits what is added meanwhile.
for (const file of reachable) {
  const text = readFileSync(file, 'utf8');
  for (const [, target = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
    reachable.add(resolve(dirname(file), `${target}.d.ts`));
  if (!DOCUMENTED.test(file)) writeFileSync(file, text.replaceAll(COMMENT, ''));
}
for (const file of globSync('**/*.d.ts', { cwd: types }).map((name) => join(types, name)))
  if (!reachable.has(file)) rmSync(file);
