/**
 * Kits: products that are sold as their components, by a phantom bill of material. They are not in stock themselves: Odoo computes their quantities
 * from those of the components, and a change of these leaves no trace at the kit. So whatever changes a component's stock, or a bill, is also a reason to
 * read the kit.
 */

import type { Domain } from './odoo.ts';
import { OdooError } from './odoo-error.ts';
import type { OdooReader } from './reader.ts';

/** What a bill of material makes a kit: one variant, or all variants of a template. */
export interface Kit {
  readonly product: number | undefined;
  readonly template: number;
  readonly components: ReadonlySet<number>;
  /** What the bill says. */
  readonly bill: string;
}

/** The models whose records are written if a bill changes, and the field that has the id of the bill. */
export const BILL_MODELS = [
  { model: 'mrp.bom', field: 'id' },
  { model: 'mrp.bom.line', field: 'bom_id' },
] as const;

export class Kits {
  readonly #reader: OdooReader;
  readonly #pageSize: number;
  /** By the ids of their bills. Undefined before they have been read. */
  #kits: Map<number, Kit> | undefined;

  constructor(reader: OdooReader, pageSize: number) {
    this.#reader = reader;
    this.#pageSize = pageSize;
  }

  /** Reads all bills. Resolves to what became a kit, is none any more, or is another one than before: a removed bill leaves no trace. */
  async reload(): Promise<readonly Kit[]> {
    const before = this.#kits;
    const after = await this.#read([]);
    this.#kits = after;
    if (before === undefined) return [];
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const [old, now] = [before.get(id), after.get(id)];
      return old?.bill === now?.bill ? [] : present(old, now);
    });
  }

  /** Reads bills that were written. Resolves to the kits that they made before, and those that they make now. */
  async refresh(bills: ReadonlySet<number>): Promise<readonly Kit[]> {
    const kits = this.#kits ?? (await this.#read([]));
    this.#kits = kits;
    const changed: Kit[] = [];
    for (const ids of this.#pagesOf([...bills])) {
      const found = await this.#read([['id', 'in', ids]]);
      for (const id of ids) {
        const now = found.get(id);
        changed.push(...present(kits.get(id), now));
        if (now === undefined) kits.delete(id);
        else kits.set(id, now);
      }
    }
    return changed;
  }

  /** Of these products, which may be kits themselves. */
  containing(products: ReadonlySet<number>): readonly Kit[] {
    const all = [...(this.#kits?.values() ?? [])];
    return all.filter(({ components }) => [...components].some((component) => products.has(component)));
  }

  async #read(domain: Domain): Promise<Map<number, Kit>> {
    const kits = new Map<number, Kit>();
    const isKit: Domain = [
      ['type', '=', 'phantom'],
      ['active', '=', true],
    ];
    const fields = ['product_id', 'product_tmpl_id', 'product_qty', 'product_uom_id'];
    for await (const bills of this.#reader.pages('mrp.bom', fields, [...isKit, ...domain])) {
      const lines = new Map<number, [component: number, ...unknown[]][]>(bills.map(({ id }) => [id, []]));
      const ofBills: Domain = [['bom_id', 'in', [...lines.keys()]]];
      const lineFields = ['bom_id', 'product_id', 'product_qty', 'product_uom_id'];
      for await (const page of this.#reader.pages('mrp.bom.line', lineFields, ofBills))
        for (const { bom_id: bill, product_id: component, product_qty: quantity, product_uom_id: unit } of page)
          lines.get(Number(bill))?.push([Number(component), quantity, unit]);
      for (const { id, product_id: product, product_tmpl_id: template, ...rest } of bills) {
        const own = lines.get(id) ?? [];
        kits.set(id, {
          product: typeof product === 'number' ? product : undefined,
          template: Number(template),
          components: new Set(own.map(([component]) => component)),
          bill: JSON.stringify([product, template, rest, own]),
        });
      }
    }
    return kits;
  }

  *#pagesOf(ids: readonly number[]): Generator<readonly number[], void> {
    for (let at = 0; at < ids.length; at += this.#pageSize) yield ids.slice(at, at + this.#pageSize);
  }
}

/** Whether Odoo has bills of material, and the user of the key may read them. */
export async function readabilityOfKits(reader: OdooReader): Promise<'none' | 'hidden' | 'readable'> {
  try {
    for (const { model } of BILL_MODELS) await reader.page(model, ['write_date'], [['id', '<', 0]], 0);
    return 'readable';
  } catch (error) {
    if (error instanceof OdooError && error.kind === 'no such model') return 'none';
    if (error instanceof OdooError && error.kind === 'no rights') return 'hidden';
    throw error;
  }
}

function present(...kits: readonly (Kit | undefined)[]): readonly Kit[] {
  return kits.filter((kit) => kit !== undefined);
}
