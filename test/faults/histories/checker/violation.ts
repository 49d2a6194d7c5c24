/** Something in a history that must not be. */

import type { Call } from '../history.ts';

export interface Violation {
  /** The rule that is broken. */
  readonly rule: string;
  /** In a sentence. */
  readonly text: string;
  /** The calls that contradict each other. */
  readonly calls: readonly Call[];
  /** The records that it is about, if it is about some. */
  readonly ids?: readonly number[];
}
