/** `stockbook mirror stockbook`: an account that is kept equal to one of another service. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { OtherMirror } from '../../src/connectors/mirror/account.ts';
import { StockbookMirror, type StockbookMirrorOptions } from '../../src/connectors/stockbook/mirror-stockbook.ts';
import { engines } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';
import { bearer, startService } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  test('all records are copied, then what changes, and the digest proves it', async () => {
    const service = await startService(engine);
    onTestFinished(() => service.close());
    const [office, copy] = [await addAccount(service.store, 'office'), await addAccount(service.store, 'copy')];
    await load(
      service.store,
      office,
      product,
      Array.from({ length: 30 }, (_, n) => ({ id: n + 1, name: `P${n}`, list_price: n / 8 })),
    );
    await load(service.store, office, partner, [{ id: 1, name: 'Acme', email: 'a@example.com' }]);
    const url = `http://127.0.0.1:${service.port}`;
    const options: StockbookMirrorOptions = {
      from: { url, key: await service.issue(office, { scopes: ['read'] }) },
      to: { url, key: await service.issue(copy, { scopes: ['read', 'edit'] }) },
      resources: ['product', 'partner', 'company'],
      source: 'office',
      log: { event: () => {}, warning: () => {} },
      signal: AbortSignal.timeout(60_000),
    };
    const mirrors = await StockbookMirror.open(options);
    const others = await StockbookMirror.open(options);
    for (const mirror of mirrors) {
      await mirror.run(false);
      expect(await mirror.isEqual()).toBe(true);
    }
    for (const other of others) await expect(other.run(false)).rejects.toThrow(OtherMirror);
    await load(service.store, office, product, [{ id: 1, name: 'Renamed' }]);
    await load(service.store, office, partner, [{ id: 1, name: 'Renamed' }]);
    const editing = bearer(await service.issue(office, { scopes: ['edit'] }));
    await service.send({ method: 'DELETE', path: '/api/v1/inventory/product/2', headers: editing });
    for (const mirror of await StockbookMirror.open(options)) {
      await mirror.run(false);
      expect(await mirror.isEqual()).toBe(true);
    }
  });
});
