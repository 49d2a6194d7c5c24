/**
 * Builds `@stockbook/client` from `src/client/` and `src/filter/` into `packages/client/dist/`, or the folder that is given. `npm run build`
 * and `npm pack --workspace @stockbook/client` run it.
 *
 * The scripts are readable, since Node prints the line that has thrown: whoever uses them in a web page minifies the page.
 */

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const PACKAGE = path('../../packages/client');

const [folder = join(PACKAGE, 'dist')] = process.argv.slice(2);

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

const types = join(folder, 'types');
const compiler = path('../../node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '--project', PACKAGE, '--outDir', types], { stdio: 'inherit' });
const reachable = new Set(['client', 'filter'].map((entry) => join(types, entry, 'index.d.ts')));
// A set also visits what is added meanwhile.
for (const file of reachable) {
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
    reachable.add(resolve(dirname(file), `${target}.d.ts`));
}
for (const file of globSync('**/*.d.ts', { cwd: types }).map((name) => join(types, name)))
  if (!reachable.has(file)) rmSync(file);
