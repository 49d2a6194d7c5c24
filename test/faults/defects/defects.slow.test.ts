/** The tests of faults find every planted defect: the one that is meant to find it fails in a copy of the checkout that has it. */

import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { sharedFolder } from '../../support/shared.ts';
import { defects } from './defects.ts';
import { PlantedCheckout } from './planted-checkout.ts';

/** In milliseconds. */
const TIMEOUT = 1_800_000;

const isExhaustive = inject('isExhaustive');
const folder = sharedFolder();
let checkout: PlantedCheckout | undefined;

beforeAll(() => {
  if (isExhaustive) checkout = new PlantedCheckout(join(folder.path, 'checkout'));
});

test.for(defects)('$name', { timeout: TIMEOUT }, async (defect, context) => {
  if (!isExhaustive) context.skip('takes a minute for each: npm run test:crashes');
  const failures = await checkout?.failures(defect, context.signal);
  expect(failures).toContainEqual(expect.stringContaining(defect.foundBy.says ?? ''));
});
