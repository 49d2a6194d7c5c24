/**
 * Whatever happens in Odoo, in whatever order, and whenever the mirror is killed: after the next round the account is equal. With
 * STOCKBOOK_TEST_ODOO=http://DATABASE:KEY@HOST:PORT the same happens in a real Odoo, through its API; it should have nothing else to do.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Json2 } from '../../src/connectors/odoo/json2.ts';
import { type MirrorOptions, OdooMirror } from '../../src/connectors/odoo/mirror-odoo.ts';
import { systemClock } from '../../src/schedule/clock.ts';
import { aboveStore } from '../support/above-store.ts';
import { differences, openMirrorBed } from '../support/odoo-mirror.ts';
import type { OdooServer } from '../support/odoo-server.ts';
import { sharedService } from '../support/shared.ts';

/** What can happen in an Odoo. Records are chosen by a number. */
interface World {
  create(model: string, values: Readonly<Record<string, unknown>>, late: number): Promise<void>;
  write(model: string, which: number, values: Readonly<Record<string, unknown>>, late: number): Promise<void>;
  unlink(model: string, which: number): Promise<void>;
  move(which: number, quantity: number, late: number): Promise<void>;
  /** A product becomes a kit of so many pieces of an older one, if there is an older one. */
  assemble(which: number, component: number, quantity: number): Promise<void>;
  /** The mirror does not get further than so many requests, unless the function that is returned is called before. */
  killAfter(requests: number, kill: () => void): () => void;
}

/** How long ago a transaction began that commits now, in seconds; less than the overlap. */
const late = fc.nat({ max: 170 });
const which = fc.nat({ max: 30 });
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== '');

type Step = (world: World) => Promise<void>;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, late).map(
    ([text, ago]): Step =>
      (world) =>
        world.create('product.product', { name: text }, ago),
  ),
  fc.tuple(which, name, fc.nat({ max: 9_999 }), fc.boolean(), late).map(([n, text, cents, active, ago]): Step => {
    const values = { name: text, list_price: cents / 100, active };
    return (world) => world.write('product.product', n, values, ago);
  }),
  fc.tuple(which, fc.integer({ min: -5, max: 9 }), late).map(
    ([n, quantity, ago]): Step =>
      (world) =>
        world.move(n, quantity, ago),
  ),
  fc.tuple(which, which, fc.integer({ min: 1, max: 3 })).map(
    ([n, component, quantity]): Step =>
      (world) =>
        world.assemble(n, component, quantity),
  ),
  which.map(
    (n): Step =>
      (world) =>
        world.unlink('product.product', n),
  ),
  which.map(
    (n): Step =>
      (world) =>
        world.unlink('mrp.bom', n),
  ),
  fc.tuple(name, late).map(
    ([text, ago]): Step =>
      (world) =>
        world.create('res.partner', { name: text }, ago),
  ),
  fc.tuple(which, name, late).map(
    ([n, text, ago]): Step =>
      (world) =>
        world.write('res.partner', n, { name: text, email: text }, ago),
  ),
  which.map(
    (n): Step =>
      (world) =>
        world.unlink('res.partner', n),
  ),
);

const script = fc.array(
  fc.record({ steps: fc.array(step, { maxLength: 6 }), passed: fc.nat({ max: 400 }), killAt: fc.nat({ max: 30 }) }),
  { minLength: 1, maxLength: 6 },
);

const REAL = process.env['STOCKBOOK_TEST_ODOO'];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test('the account is equal after the next round', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(script, async (rounds) => {
        const { odoo, options: ofServer } = await openMirrorBed(service, 19);
        odoo.hasManufacturing = true;
        const small = { ...ofServer, pageSize: 3, confirmRemovals: true };
        const options = REAL === undefined ? small : { ...small, pageSize: 1_000, overlap: 1, ...realOdoo(REAL) };
        const world = REAL === undefined ? serverWorld(odoo) : new RealWorld(options);
        let controller = new AbortController();
        let mirror: OdooMirror | undefined;
        for (const { steps, passed, killAt } of rounds) {
          for (const one of steps) await one(world);
          odoo.wait(passed);
          const stopWaiting = world.killAfter(killAt, () => controller.abort());
          try {
            mirror ??= await OdooMirror.open({ ...options, signal: controller.signal });
            await mirror.round();
          } catch (error) {
            if (!controller.signal.aborted) throw error;
          }
          stopWaiting();
          if (!controller.signal.aborted) continue;
          controller = new AbortController();
          mirror = undefined;
        }
        await (await OdooMirror.open(options)).round();
        expect(await differences(options)).toEqual([]);
      }),
      REAL === undefined ? { numRuns: 15 } : { numRuns: 5, endOnFailure: true },
    );
  });
});

function serverWorld(odoo: OdooServer): World {
  const chosen = (model: string, n: number) => odoo.ids(model)[n % Math.max(1, odoo.ids(model).length)];
  return {
    async create(model, values, ago) {
      odoo.create(model, { ...values }, ago);
    },
    async write(model, n, values, ago) {
      const id = chosen(model, n);
      if (id !== undefined) odoo.write(model, id, { ...values }, ago);
    },
    async unlink(model, n) {
      const id = chosen(model, n);
      if (id !== undefined) odoo.unlink(model, id);
    },
    async move(n, quantity, ago) {
      const id = chosen('product.product', n);
      if (id !== undefined) odoo.move(id, quantity, ago);
      if (n % 3 === 0) odoo.removeEmptyQuants();
    },
    async assemble(n, component, quantity) {
      const [product, part] = [chosen('product.product', n), chosen('product.product', component)];
      if (product !== undefined && part !== undefined && part < product)
        odoo.createKit({ product }, new Map([[part, quantity]]));
    },
    killAfter(requests, kill) {
      const last = odoo.requests + requests;
      odoo.onRequest = () => odoo.requests >= last && kill();
      return () => {
        odoo.onRequest = undefined;
      };
    },
  };
}

/** The database is the user of the address, and the key its password. */
function realOdoo(address: string): Pick<MirrorOptions, 'odoo'> {
  const { origin, username, password } = new URL(address);
  return { odoo: { url: `${origin}/`, database: username, key: password, login: undefined } };
}

class RealWorld implements World {
  readonly #odoo: Json2;

  constructor({ odoo }: MirrorOptions) {
    this.#odoo = new Json2(19, odoo, systemClock);
  }

  async create(model: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    const storable = model === 'product.product' ? { is_storable: true } : {};
    await this.#odoo.call(model, 'create', { vals_list: [{ ...values, ...storable }] });
  }

  async write(model: string, n: number, vals: Readonly<Record<string, unknown>>): Promise<void> {
    const id = await this.#chosen(model, n);
    if (id !== undefined) await this.#odoo.call(model, 'write', { ids: [id], vals }).catch(() => undefined);
  }

  /** Odoo refuses to remove what is in use. */
  async unlink(model: string, n: number): Promise<void> {
    const id = await this.#chosen(model, n);
    if (id !== undefined) await this.#odoo.call(model, 'unlink', { ids: [id] }).catch(() => undefined);
  }

  async move(n: number, quantity: number): Promise<void> {
    const product = await this.#chosen('product.product', n);
    if (product === undefined) return;
    const vals = { inventory_quantity: 10 + quantity };
    const place = { product_id: product, location_id: await this.#internalLocation() };
    const domain = Object.entries(place).map(([field, id]) => [field, '=', id]);
    const found = asNumbers(await this.#odoo.call('stock.quant', 'search', { domain, limit: 1 }));
    await this.#odoo.call('stock.quant', 'write', { ids: found, vals });
    const vals_list = found.length > 0 ? [] : [{ ...place, ...vals }];
    const made = asNumbers(await this.#odoo.call('stock.quant', 'create', { vals_list }));
    await this.#odoo.call('stock.quant', 'action_apply_inventory', { ids: [...found, ...made] });
  }

  async assemble(n: number, component: number, quantity: number): Promise<void> {
    const [product, part] = [
      await this.#chosen('product.product', n),
      await this.#chosen('product.product', component),
    ];
    if (product === undefined || part === undefined || part >= product) return;
    const [row] = asRows(
      await this.#odoo.call('product.product', 'read', { ids: [product], fields: ['product_tmpl_id'], load: null }),
    );
    const bill = { product_tmpl_id: row?.['product_tmpl_id'], product_id: product, type: 'phantom' };
    const bom_line_ids = [[0, 0, { product_id: part, product_qty: quantity }]];
    await this.#odoo.call('mrp.bom', 'create', { vals_list: [{ ...bill, bom_line_ids }] }).catch(() => undefined);
  }

  async #internalLocation(): Promise<number | undefined> {
    const domain = [['usage', '=', 'internal']];
    return asNumbers(await this.#odoo.call('stock.location', 'search', { domain, limit: 1 }))[0];
  }

  killAfter(requests: number, kill: () => void): () => void {
    const timer = setTimeout(kill, requests * 50);
    return () => clearTimeout(timer);
  }

  async #chosen(model: string, n: number): Promise<number | undefined> {
    const context = { active_test: false };
    const ids = asNumbers(await this.#odoo.call(model, 'search', { domain: [], order: 'id desc', limit: 10, context }));
    return ids[n % Math.max(1, ids.length)];
  }
}

function asRows(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}

function asNumbers(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}
