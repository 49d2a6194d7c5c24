/**
 * Quantities on hand. Odoo computes them for users with read access to stock moves. For other users they are added up from the quants in the
 * warehouses, which every internal user can read.
 */

import type { OdooReader } from './reader.ts';

export type QuantitySource = 'computed' | 'summed';

export class Quantities {
  readonly #reader: OdooReader;
  /** The locations that contain all stock of the warehouses; they change when warehouses do. */
  #roots: readonly number[] | undefined;

  constructor(reader: OdooReader) {
    this.#reader = reader;
  }

  /** Of these products; of all others it is 0. */
  async of(products: readonly number[]): Promise<ReadonlyMap<number, number>> {
    this.#roots ??= await this.#warehouseLocations();
    const quantities = new Map<number, number>();
    if (this.#roots.length === 0 || products.length === 0) return quantities;
    const domain = [
      ['location_id', 'child_of', this.#roots],
      ['product_id', 'in', products],
    ] as const;
    for await (const rows of this.#reader.pages('stock.quant', ['product_id', 'quantity'], domain))
      for (const row of rows) {
        const product = Number(row['product_id']);
        quantities.set(product, (quantities.get(product) ?? 0) + Number(row['quantity']));
      }
    return quantities;
  }

  /** To be called now and then: a warehouse may have been added. */
  forgetWarehouses(): void {
    this.#roots = undefined;
  }

  async #warehouseLocations(): Promise<readonly number[]> {
    const locations: number[] = [];
    const active = [['active', '=', true]] as const;
    for await (const rows of this.#reader.pages('stock.warehouse', ['view_location_id'], active))
      locations.push(...rows.map((row) => Number(row['view_location_id'])));
    return locations;
  }
}
