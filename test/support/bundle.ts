/** Bundles programs for browsers, as the build of a web page does. */

import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

export const CLIENT = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));

/** `define` has expressions in the program, and what they are replaced with. */
export async function bundle(entry: string, define: Readonly<Record<string, string>> = {}): Promise<string> {
  const { output }: Rolldown.RolldownOutput = Object(
    await build({
      configFile: false,
      logLevel: 'error',
      define: { ...define },
      resolve: { alias: { '@stockbook/client': CLIENT } },
      build: {
        write: false,
        target: 'es2023',
        modulePreload: false,
        rolldownOptions: {
          input: entry,
          preserveEntrySignatures: 'strict',
          output: { minify: true },
        },
      },
    }),
  );
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`the bundle of ${entry} has several parts`);
  const { imports, dynamicImports } = chunk;
  if (imports.length + dynamicImports.length > 0) throw new Error(`the bundle of ${entry} imports ${imports}`);
  return chunk.code;
}
