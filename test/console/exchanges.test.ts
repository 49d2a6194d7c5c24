/** What the console remembers of its requests for lists. */

import { expect, test } from 'vitest';
import { Exchanges } from '../../console/src/data/exchanges.ts';
import { product } from '../../src/catalog/product.ts';
import { apiPath } from '../../src/catalog/resource.ts';
import { Stockbook } from '../../src/client/index.ts';
import { sqlite } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { sharedService } from '../support/shared.ts';

const service = sharedService(sqlite);

test('a response that waited for a change is remembered, without how long that was', async () => {
  const exchanges = new Exchanges();
  const { products } = new Stockbook({
    ...{ url: `http://127.0.0.1:${service.port}`, key: service.key, fetch: exchanges.fetch },
  });
  const latest = () => exchanges.latest(apiPath(product), new URLSearchParams({ filter: 'id=9000' }));
  const { etag } = await products.list({ filter: 'id=9000' });
  await expect.poll(latest).toMatchObject({ status: 200, milliseconds: expect.any(Number) });
  const changed = products.list({ filter: 'id=9000', ifNoneMatch: etag, wait: 30 });
  await load(service.store, service.acme, product, [{ id: 9_000, name: 'New' }]);
  await changed;
  await expect.poll(() => latest()?.body).toContain('New');
  expect(latest()?.milliseconds).toBeUndefined();
});
