/** The defects that tests of faults find can still be planted. */

import { expect, test } from 'vitest';
import { withDefect } from './defect.ts';
import { defects } from './defects.ts';

test.each(defects)('$name', (defect) => {
  expect(withDefect(defect)).toContain(defect.replacement);
});
