/**
 * Quantities on hand. Odoo computes them for users with read access to stock moves. For other users they are added up from the quants in the
 * warehouses, which every internal user can read, and rounded as Odoo rounds them. Those of kits are computed by Odoo only.
 */

import type { OdooRow } from './odoo.ts';
import type { OdooReader } from './reader.ts';
import { rounded } from './rounding.ts';

export type QuantitySource = 'computed' | 'summed';

/** The field of a product with its unit of measure. */
export const UNIT = 'uom_id';

/** What changes rarely. */
interface Setup {
  /** The locations that contain all stock of the warehouses. */
  readonly roots: readonly number[];
  /** How precisely quantities are counted, by units of measure. */
  readonly precisions: ReadonlyMap<number, number>;
}

export class Quantities {
  readonly #reader: OdooReader;
  #setup: Setup | undefined;

  constructor(reader: OdooReader) {
    this.#reader = reader;
  }

  /** Of these products, which were read with their units; of all others it is 0. */
  async of(products: readonly OdooRow[]): Promise<ReadonlyMap<number, number>> {
    this.#setup ??= { roots: await this.#warehouseLocations(), precisions: await this.#precisions() };
    const { roots, precisions } = this.#setup;
    const sums = new Map<number, number>();
    if (roots.length === 0 || products.length === 0) return sums;
    const domain = [
      ['location_id', 'child_of', roots],
      ['product_id', 'in', products.map(({ id }) => id)],
    ] as const;
    for await (const rows of this.#reader.pages('stock.quant', ['product_id', 'quantity'], domain))
      for (const row of rows) {
        const product = Number(row['product_id']);
        sums.set(product, (sums.get(product) ?? 0) + Number(row['quantity']));
      }
    return new Map(
      products.map(({ id, [UNIT]: unit }) => [id, rounded(sums.get(id) ?? 0, precisions.get(Number(unit)) ?? 0)]),
    );
  }

  /** To be called now and then: a warehouse may have been added, or a unit changed. */
  forget(): void {
    this.#setup = undefined;
  }

  async #warehouseLocations(): Promise<readonly number[]> {
    const locations: number[] = [];
    const active = [['active', '=', true]] as const;
    for await (const rows of this.#reader.pages('stock.warehouse', ['view_location_id'], active))
      locations.push(...rows.map((row) => Number(row['view_location_id'])));
    return locations;
  }

  async #precisions(): Promise<ReadonlyMap<number, number>> {
    const precisions = new Map<number, number>();
    for await (const rows of this.#reader.pages('uom.uom', ['rounding'], []))
      for (const { id, rounding } of rows) precisions.set(id, Number(rounding));
    return precisions;
  }
}
