/**
 * What the operators that search texts mean. Each matches only what contains the text, so that search indexes help; a test says
 * what has to hold besides. `held` and `text` are folded.
 */

import type { TextSymbol } from '../filter/operators.ts';

export const textTests: Readonly<Record<TextSymbol, ((held: string, text: string) => boolean) | undefined>> = {
  '*': undefined,
};
