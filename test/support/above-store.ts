/** The engines for tests of what is above the store, which gets the same from all: SQLite, and in `npm run test:all` both. */

import { inject } from 'vitest';
import { engines, sqlite, type TestEngine } from './engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly allEngines: boolean;
  }
}

export const aboveStore: readonly TestEngine[] = inject('allEngines') ? engines : [sqlite];
