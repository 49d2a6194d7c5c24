/** Builds the console into `dist/console/`: a page, and assets whose names change with their content. */

import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** Where `npm start` listens. While the console is developed, Vite passes requests for data on to it. */
const SERVICE = 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  root: path('.'),
  // Where the service has the assets. The page itself is at /, /products and so on.
  base: command === 'build' ? '/console/' : '/',
  // React Aria has its texts in thirty languages, and the console has its own in one.
  plugins: [optimizeLocales.vite({ locales: ['en-US'] })],
  resolve: {
    alias: {
      // The longer one first: an alias also matches what is below it.
      '@stockbook/client/filter': path('../src/filter/index.ts'),
      '@stockbook/client': path('../src/client/index.ts'),
      // Libraries bring this along for versions of React that do not have it.
      'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector',
      'use-sync-external-store/shim/index.js': 'react',
    },
  },
  server: { proxy: { '/api': SERVICE, '/docs': SERVICE, '/problems': SERVICE } },
  build: {
    outDir: path('../dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // The Content-Security-Policy allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // `tools/console/build.ts` has a limit for what counts, the compressed size.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    license: { fileName: 'licenses.md' },
    rolldownOptions: {
      output: {
        // Two chunks, since a few large files are smaller and faster than many small ones: what is seen at first, and the rest.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }, { name: 'later' }] },
      },
      onLog(level, log, report) {
        // Libraries mark what runs in browsers, as everything does here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
}));
