/** A folder into which an ERP exports files, and what an account should have from them. */

import { mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../support/random.ts';
import { SECOND, type SimulatedTime } from './time.ts';

/** Partners are added, products are changed by their code. */
const RULES = {
  files: [
    { pattern: 'partners*.csv', resource: 'partner', add: true },
    { pattern: 'products*.csv', resource: 'product', key: 'default_code' },
  ],
};

/** How many codes there are. */
const CODES = 20;

export class SimulatedFolder {
  readonly path: string;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  /** The time of the last file: each is later than the one before. */
  #last: number;
  #files = 0;
  /** How often each name of a partner has been exported. */
  readonly partners = new Map<string, number>();
  /** The last price of each code. */
  readonly prices = new Map<string, number>();
  /** How many files there have been that can be imported, and how many that cannot. */
  readonly counts = { done: 0, failed: 0 };

  constructor(path: string, time: SimulatedTime, random: Random) {
    this.path = path;
    this.#time = time;
    this.#random = random;
    this.#last = time.clock.wall();
    mkdirSync(path);
    writeFileSync(join(path, 'watch.json'), JSON.stringify(RULES));
  }

  /** The ERP exports a file, at once or little by little. Resolves when it is complete. */
  async export(): Promise<void> {
    const random = this.#random;
    this.#files += 1;
    const isProducts = random.chance(0.5);
    // The export of every night has the same name, and a partner can be in several of them.
    const suffix = random.chance(0.3) ? '' : `-${this.#files}`;
    const name = `${isProducts ? 'products' : 'partners'}${suffix}.csv`;
    if (this.waiting().includes(name)) return;
    const rows = Array.from({ length: random.between(1, 6) }, () => ({
      code: `C${random.below(CODES)}`,
      price: random.below(1_000),
    }));
    const isBroken = random.chance(0.1);
    const text = isProducts ? productLines(rows, isBroken) : partnerLines(rows, isBroken);
    const how = random.pick(['at once', 'slowly', 'renamed']);
    if (how === 'slowly') {
      this.#write(name, text.slice(0, text.length / 2));
      await this.#time.pass(random.below(3 * SECOND));
      this.#write(name, text);
    } else if (how === 'renamed') {
      this.#write(`${name}.part`, text);
      await this.#time.pass(random.below(10 * SECOND));
      renameSync(join(this.path, `${name}.part`), join(this.path, name));
    } else this.#write(name, text);
    this.counts[isBroken ? 'failed' : 'done'] += 1;
    if (isBroken) return;
    for (const { code, price } of rows)
      if (isProducts) this.prices.set(code, price);
      else this.partners.set(code, (this.partners.get(code) ?? 0) + 1);
  }

  /** Files that have not been imported. */
  waiting(): readonly string[] {
    return readdirSync(this.path).filter((name) => name.endsWith('.csv'));
  }

  /** What is in `done` or `failed`. */
  moved(place: 'done' | 'failed'): readonly string[] {
    const names = this.counts[place] === 0 ? [] : readdirSync(join(this.path, place));
    return names.filter((name) => !/\.(error\.txt|rejected\.csv)$/.test(name));
  }

  #write(name: string, text: string): void {
    const path = join(this.path, name);
    writeFileSync(path, text);
    this.#last = Math.max(this.#last + SECOND, this.#time.clock.wall());
    utimesSync(path, this.#last / SECOND, this.#last / SECOND);
  }
}

interface Exported {
  readonly code: string;
  readonly price: number;
}

function productLines(rows: readonly Exported[], isBroken: boolean): string {
  const last = new Map(rows.map((row) => [row.code, row]));
  const lines = [...last.values()].map(({ code, price }) => `${code},Product ${code},${isBroken ? 'dear' : price}`);
  return `${['default_code,name,list_price', ...lines].join('\n')}\n`;
}

function partnerLines(rows: readonly Exported[], isBroken: boolean): string {
  return `${['name,active', ...rows.map(({ code }) => `${code},${isBroken ? 'perhaps' : 'true'}`)].join('\n')}\n`;
}
