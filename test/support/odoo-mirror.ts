/** An Odoo, an empty account of a service, and a mirror between them. */

import { onTestFinished } from 'vitest';
import { Connection, type Source, Sources } from '../../src/client/index.ts';
import { type MirrorOptions, OdooMirror } from '../../src/connectors/odoo/mirror-odoo.ts';
import { type Clock, systemClock } from '../../src/schedule/clock.ts';
import type { Account } from '../../src/store/store.ts';
import { addAccount } from './fixture.ts';
import { collected } from './iterables.ts';
import { ODOO_DATABASE, ODOO_KEY, ODOO_LOGIN } from './odoo-database.ts';
import { OdooServer } from './odoo-server.ts';
import { bearer, sendUnchecked, type TestService } from './service.ts';

export interface MirrorBed {
  readonly odoo: OdooServer;
  readonly account: Account;
  readonly options: MirrorOptions;
  readonly warnings: string[];
  source(name: string): Promise<Source | undefined>;
  records(path: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

interface BedOptions {
  readonly tls?: ConstructorParameters<typeof OdooServer>[1];
  /** Of the mirror. */
  readonly clock?: Clock;
}

let accounts = 0;

export async function openMirrorBed(
  service: TestService,
  version: number,
  { tls, clock = systemClock }: BedOptions = {},
): Promise<MirrorBed> {
  const odoo = new OdooServer(version, tls);
  onTestFinished(() => odoo.close());
  accounts += 1;
  const account = await addAccount(service.store, `mirrored-${accounts}`);
  const key = await service.issue(account, { scopes: ['read', 'edit'] });
  const warnings: string[] = [];
  return {
    odoo,
    account,
    warnings,
    options: {
      odoo: { url: await odoo.listen(), database: ODOO_DATABASE, key: ODOO_KEY, login: ODOO_LOGIN },
      account: { url: `http://127.0.0.1:${service.port}`, key },
      resources: ['product', 'partner', 'company'],
      added: [],
      language: undefined,
      companies: [],
      requestsPerSecond: Number.POSITIVE_INFINITY,
      interval: 1,
      overlap: 180,
      removalInterval: 0,
      comparisonInterval: 86_400,
      source: 'odoo',
      confirmRemovals: false,
      mayHaveMoved: false,
      pageSize: 1_000,
      log: { event: () => {}, warning: (text) => warnings.push(text) },
      onProgress: () => {},
      signal: new AbortController().signal,
      clock,
    },
    source: (name) => new Sources(new Connection({ url: `http://127.0.0.1:${service.port}`, key })).get(name),
    async records(path) {
      const query = 'limit=1000';
      const { text } = await sendUnchecked(service.port, { path: `/api/v1/${path}?${query}`, headers: bearer(key) });
      return JSON.parse(text).data;
    },
  };
}

export async function differences(options: MirrorOptions): Promise<readonly unknown[]> {
  return collected((await OdooMirror.open(options)).differences());
}
