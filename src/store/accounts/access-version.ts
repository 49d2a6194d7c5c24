/** The version of who has access to an account. */

import { randomInt } from 'node:crypto';

/** Random, so that a version is not used again for other keys, even if writes are lost. */
export function newAccessVersion(): number {
  return randomInt(2 ** 48 - 1);
}
