import { afterAll, beforeAll, describe, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { checkRow } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { decisions } from './decisions.ts';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  describe.each(decisions)('$point: $says', ({ rows }) => {
    test.each(rows)('$name', (row) => checkRow(service, row));
  });
});
