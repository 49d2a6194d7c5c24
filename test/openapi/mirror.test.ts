/** The OpenAPI document is enough to keep a copy of an account, and to prove it: this program knows nothing else. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { engines } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import type { TestService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: { maximum?: number } }[];
}

/** What a program makes of the document: requests by the names of their operations. */
class Api {
  readonly #server: string;
  readonly #key: string;
  readonly #operations = new Map<string, { readonly path: string; readonly operation: Operation }>();

  constructor(server: string, key: string, document: unknown) {
    this.#server = server;
    this.#key = key;
    for (const [path, item] of Object.entries<Record<string, Operation>>(Object(document).paths))
      if (item['get'] !== undefined) this.#operations.set(item['get'].operationId, { path, operation: item['get'] });
  }

  /** Every resource that has changes: `Product`, `Partner`, `Company`. */
  get copied(): readonly string[] {
    return [...this.#operations.keys()].flatMap((name) => /^list(\w+)Changes$/.exec(name)?.[1] ?? []);
  }

  async get(name: string, parameters: Readonly<Record<string, string>> = {}) {
    const { path, operation } = this.#operations.get(name) ?? {};
    const known = operation?.parameters
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => parameter.name);
    for (const parameter of Object.keys(parameters)) expect(known).toContain(parameter);
    const response = await fetch(`${this.#server}${path}?${new URLSearchParams(parameters)}`, {
      headers: { authorization: `Bearer ${this.#key}` },
    });
    return { status: response.status, body: Object(await response.json()) };
  }

  largest(name: string, parameter: string): string {
    const found = this.#operations.get(name)?.operation.parameters.find((one) => one.name === parameter);
    return String(found?.schema.maximum);
  }
}

/** The first partner. */
async function removeFirst({ store, acme, send }: TestService): Promise<void> {
  const { data } = Object((await send({ path: `${PARTNERS}?limit=1000` })).json);
  await load(store, acme, partner, data.slice(1), { replace: true });
}

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  test('a copy of every resource follows the changes, and has the digest of the account', async () => {
    const server = `http://127.0.0.1:${service.port}`;
    const api = new Api(server, service.key, await (await fetch(`${server}/openapi.json`)).json());
    expect(api.copied.length).toBeGreaterThanOrEqual(3);
    for (const resource of api.copied) {
      const copy = new Map<number, unknown>();
      let since: string | undefined;
      const follow = async () => {
        const limit = api.largest(`list${resource}Changes`, 'limit');
        for (let more = true; more; ) {
          const { status, body } = await api.get(`list${resource}Changes`, { limit, ...(since && { since }) });
          expect(status).toBe(200);
          for (const change of body.data) {
            if (change.removed) copy.delete(change.id);
            else copy.set(change.id, change);
          }
          since = body.meta.cursor;
          more = body.meta.more;
        }
        const { body } = await api.get(`get${resource}Digest`);
        const lines = [...copy.keys()].toSorted((a, b) => a - b).map((id) => `${JSON.stringify(copy.get(id))}\n`);
        expect(body.data).toMatchObject({
          total: copy.size,
          sha256: createHash('sha256').update(lines.join('')).digest('hex'),
        });
      };
      await follow();
      await service.send(createPartner(`Written while the ${resource} is copied`));
      await follow();
      await removeFirst(service);
      await follow();
    }
  });
});
