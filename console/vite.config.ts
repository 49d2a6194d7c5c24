/** Builds the console into `dist/console/`: a page, and assets whose names change with their content. */

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path('.'),
  // Where the server has the assets. The page itself is at /, /products and so on.
  base: '/console/',
  resolve: {
    alias: { 'stockbook/client': path('../src/client/index.ts'), 'stockbook/filter': path('../src/filter/index.ts') },
  },
  build: {
    outDir: path('../dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // The Content-Security-Policy allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
});
