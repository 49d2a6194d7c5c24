/**
 * What texts are tested for. Each test is met only by what contains the text, so that search indexes help; here is what has to hold
 * besides. `held` and `text` have the same form.
 */

import type { TextTest } from './plan.ts';

export const textTests: Readonly<Record<TextTest, ((held: string, text: string) => boolean) | undefined>> = {
  '*': undefined,
  begins: (held, text) => held.startsWith(text),
  equals: (held, text) => held === text,
};
