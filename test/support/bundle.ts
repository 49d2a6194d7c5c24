/** Bundles programs for browsers, as the build of a web page does. */

import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

export const CLIENT = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));

/** `define` has expressions in the program, and what they are replaced with. */
export async function bundle(entry: string, define: Readonly<Record<string, string>> = {}): Promise<string> {
  const output: Rolldown.RolldownOutput[] = Object(
    await build({
      configFile: false,
      logLevel: 'error',
      define: { ...define },
      resolve: { alias: { '@stockbook/client': CLIENT } },
      build: { lib: { entry, formats: ['es'] }, minify: true, write: false, target: 'es2023' },
    }),
  );
  const [chunk] = output.flatMap(({ output: chunks }) => chunks);
  if (chunk?.type !== 'chunk') throw new Error(`the bundle of ${entry} has no code`);
  const { imports, dynamicImports } = chunk;
  if (imports.length + dynamicImports.length > 0) throw new Error(`the bundle of ${entry} imports ${imports}`);
  return chunk.code;
}
