/** Errors on their way from a thread to the serving thread. */

import { expect, test } from 'vitest';
import { errorOf, failureOf } from '../../../src/store/sqlite/failures.ts';
import {
  OutdatedFields,
  ResultTooLarge,
  StatementRejected,
  StoreUnavailable,
  UnusableDatabase,
} from '../../../src/store/store-error.ts';

test.each([
  new OutdatedFields('no such column'),
  new ResultTooLarge('too large'),
  new StatementRejected('rejected'),
  new StoreUnavailable('busy', 'busy'),
  new UnusableDatabase('damaged', 'damaged'),
])('$name stays what it is', (error) => {
  expect(errorOf(structuredClone(failureOf(error, 'path')))).toEqual(error);
});
