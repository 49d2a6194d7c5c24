/** Aggregates of more groups and longer texts than a response may have. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { MAX_GROUPS } from '../../src/plan/aggregate.ts';
import { largePartner } from '../attacks/attack.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load } from '../support/fixture.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  const get = (query: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>) =>
    service.send({ path: `${PRODUCTS}/aggregate?${new URLSearchParams(query)}`, headers });

  test('a facet with too many groups is a 400', async () => {
    const account = await addAccount(service.store, 'many');
    const own = bearer(await service.issue(account));
    const records = (count: number) => Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `Product ${n}` }));
    await load(service.store, account, product, records(MAX_GROUPS + 1));
    expect(await get({ facets: 'name', filter: `id<=${MAX_GROUPS}` }, own)).toRespond(200);
    const both = await Promise.all([get({ facets: 'name' }, own), get({ facets: 'name' }, own)]);
    expect(both.map(({ status }) => status)).toEqual([400, 400]);
    expect(await get({ facets: 'name' }, own)).toRespond(400, { code: 'too_many_groups' });
    // Values that are measured do not need groups.
    expect(await get({ measures: 'max(id)', facets: 'id:10' }, own)).toRespond(200, {
      data: { measures: { 'max(id)': MAX_GROUPS + 1 } },
    });
  });

  test('facets of long texts are limited', async () => {
    const account = await addAccount(service.store, 'long');
    const own = bearer(await service.issue(account));
    const path = (limit: number) =>
      `${PARTNERS}/aggregate?facets=name,ref,email,phone,vat,street,city,zip,country_code&limit=${limit}`;
    const records = Array.from({ length: 2_000 }, (_, n) => largePartner(n + 1));
    await load(service.store, account, partner, records.slice(0, 1_000));
    expect(await service.send({ path: path(100), headers: own })).toRespond(200);
    // The body would have 18 MB.
    expect(await service.send({ path: path(1_000), headers: own })).toRespond(400, { code: 'aggregate_too_large' });
    await load(service.store, account, partner, records);
    // There are 18 million characters.
    expect(await service.send({ path: path(1), headers: own })).toRespond(400, { code: 'aggregate_too_large' });
  });
});
