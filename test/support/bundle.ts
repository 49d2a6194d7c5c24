/** Bundles the client for browsers, as the build of a web page does. */

import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

export async function bundleClient(): Promise<string> {
  const entry = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
  const output: Rolldown.RolldownOutput[] = Object(
    await build({
      configFile: false,
      logLevel: 'error',
      build: { lib: { entry, formats: ['es'] }, minify: true, write: false, target: 'es2023' },
    }),
  );
  const [chunk] = output.flatMap(({ output: chunks }) => chunks);
  if (chunk?.type !== 'chunk') throw new Error('the bundle has no code');
  return chunk.code;
}
