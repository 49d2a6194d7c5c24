import { describe, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { checkRow } from '../support/rows.ts';
import { sharedService } from '../support/shared.ts';
import { decisions } from './decisions/decisions.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  describe.each(decisions)('$point: $says', ({ rows }) => {
    test.each(rows)('$name', (row) => checkRow(service, row));
  });
});
