/** How often a test repeats what it does: a few times, or many times in `npm run test:thorough`. */

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly isThorough: boolean;
  }
}

export function rounds(few: number, many: number): number {
  return inject('isThorough') ? many : few;
}
