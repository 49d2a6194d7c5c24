/** How often a test repeats what it does: a few times, or many times in `npm run test:thorough` and `npm run test:crashes`. */

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly isThorough: boolean;
    /** In `npm run test:crashes`: whether a test looks at everything, and not at a sample. */
    readonly isExhaustive: boolean;
  }
}

export function rounds(few: number, many: number): number {
  return inject('isThorough') || inject('isExhaustive') ? many : few;
}
