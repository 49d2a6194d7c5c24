/**
 * An Odoo in which people work. What they do is a transaction: it gets its ids and its time when it begins, and others see it when it commits, up to minutes
 * later. Two transactions never write the same record, as PostgreSQL would see to.
 */

import {
  error,
  json,
  MAINTENANCE,
  NO_DATABASE,
  ODOO_DATABASE,
  ODOO_KEY,
  OdooDatabase,
  type OdooReply,
} from '../../support/odoo-database.ts';
import type { Random } from '../../support/random.ts';
import type { ErrorReply, Host } from './network.ts';
import { MINUTE, SECOND, type SimulatedTime } from './time.ts';

/** What people do in a while. Each includes the ones before. */
export const ACTIVITIES = ['writes', 'removals', 'silent changes'] as const;

export type Activity = (typeof ACTIVITIES)[number];

const VERSION = 19;

/** How many records there are of a model at least and at most, so that removals are not suspicious. */
const FEWEST = 25;
const MOST = 60;

/** How many are removed before the mirror has seen it. More are suspicious. */
const MOST_REMOVED = 9;

/** What Odoo, its database, or a proxy before it, responds with if it is not available. */
export const ODOO_ERRORS: readonly ErrorReply[] = [
  { ...json(429, {}), isTimed: true },
  { status: 502, type: 'text/html', text: '<h1>Bad Gateway</h1>' },
  { status: 503, type: 'text/html', text: '<h1>Service Unavailable</h1>', isTimed: true },
  { status: 504, type: 'text/html', text: '<h1>Gateway Timeout</h1>' },
  json(500, error('psycopg2.InterfaceError', 'cursor already closed')),
  json(500, error('psycopg2.OperationalError', 'could not connect to server')),
  json(500, error('builtins.MemoryError', '')),
  NO_DATABASE,
  MAINTENANCE,
  // The mirror ends, and is started again.
  json(401, error('werkzeug.exceptions.Unauthorized', 'Invalid apikey')),
];

const MODELS = ['product.product', 'res.partner', 'res.company'] as const;

type Model = (typeof MODELS)[number];

export interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

export class SimulatedOdoo {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #database: OdooDatabase;
  readonly host: Host;
  /** Records that a transaction writes. */
  readonly #locked = new Set<string>();
  /** How many records of which model have been removed since the mirror was equal. */
  readonly #removed = new Map<Model, number>();
  /** How many transactions have begun and have not committed. */
  open = 0;

  /** `onRequest` is called when somebody reads. */
  constructor(time: SimulatedTime, random: Random, onRequest: () => void) {
    this.#time = time;
    this.#random = random;
    // Its clock is another one.
    const ahead = time.clock.wall() - time.now + random.between(-10, 10) * MINUTE;
    this.#database = new OdooDatabase(VERSION, () => ahead + time.now);
    for (const model of MODELS)
      for (let n = 0; n < (model === 'res.company' ? 3 : FEWEST); n += 1)
        this.#database.create(model, this.#values(model));
    this.host = async (request) => {
      onRequest();
      return replyOf(this.#database.respond({ ...request, body: Buffer.from(request.body).toString() }));
    };
  }

  /** Somebody does something, which is committed after so many milliseconds. */
  begin(activity: Activity, duration: number): void {
    const began = this.#time.now;
    const acts = Array.from({ length: this.#random.between(1, 4) }, () => this.#act(activity));
    this.open += 1;
    this.#time.clock.after(duration, () => {
      const late = (this.#time.now - began) / SECOND;
      for (const commit of acts) commit(late);
      this.open -= 1;
    });
  }

  /** What everybody can see, as the account should have it. */
  rows(resource: 'product' | 'partner' | 'company'): readonly Row[] {
    switch (resource) {
      case 'product':
        return this.#read('product.product', [
          'name',
          'default_code',
          'list_price',
          'active',
          'categ_id',
          'qty_available',
          'write_date',
        ]);
      case 'partner':
        return this.#read('res.partner', ['name', 'is_company', 'active', 'email', 'city', 'write_date']);
      case 'company':
        return this.#read('res.company', ['name', 'company_registry', 'write_date']).map(
          ({ company_registry: company_code, ...row }) => ({
            ...row,
            company_code,
          }),
        );
    }
  }

  /** The latest time of a write. */
  get latestWrite(): string {
    const times = [...MODELS, 'stock.move', 'stock.quant'].flatMap((model) => this.#call(model, ['write_date']));
    return times.map((row) => String(row['write_date'])).reduce((a, b) => (a > b ? a : b), '');
  }

  /** The mirror is equal. */
  seen(): void {
    this.#removed.clear();
  }

  /** Chooses now, and resolves to what a commit does. */
  #act(activity: Activity): (late: number) => void {
    const random = this.#random;
    const model: Model = random.pick([
      'product.product',
      'product.product',
      'res.partner',
      'res.partner',
      'res.company',
    ]);
    const nothing = () => {};
    const kind = random.pick([
      ...['create', 'write', 'write', 'write', 'move', 'move', 'archive'],
      ...(activity === 'writes' ? [] : ['unlink', 'unlink', 'tidy']),
      ...(activity === 'silent changes' ? ['category', 'category'] : []),
    ]);
    if (kind === 'tidy') return () => this.#database.removeEmptyQuants();
    const product = kind === 'move' || kind === 'category';
    const of = product ? 'product.product' : model;
    if (kind === 'create') {
      if (this.#database.ids(of).length >= MOST) return nothing;
      const id = this.#database.reserveId();
      const values = this.#values(of);
      return (late) => void this.#database.create(of, values, late, id);
    }
    const free = this.#database.ids(of).filter((id) => !this.#locked.has(`${of} ${id}`));
    if (free.length === 0) return nothing;
    const id = random.pick(free);
    const lock = `${of} ${id}`;
    this.#locked.add(lock);
    const values = kind === 'archive' ? { active: random.chance(0.5) } : this.#values(of);
    const quantity = random.between(-3, 8);
    return (late) => {
      this.#locked.delete(lock);
      switch (kind) {
        case 'move':
          return this.#database.move(id, quantity, late);
        case 'category':
          return this.#database.writeSilently(of, id, { categ_id: false });
        case 'unlink':
          return this.#unlink(of, id);
        default:
          return this.#database.write(of, id, values, late);
      }
    };
  }

  #unlink(model: Model, id: number): void {
    const removed = this.#removed.get(model) ?? 0;
    if (removed === MOST_REMOVED || this.#database.ids(model).length <= (model === 'res.company' ? 2 : FEWEST - 5))
      return;
    this.#removed.set(model, removed + 1);
    this.#database.unlink(model, id);
  }

  #values(model: Model): Readonly<Record<string, unknown>> {
    const random = this.#random;
    const name = `${random.pick(['Oak', 'Elm', 'Ash', 'Fir'])} ${random.below(1_000)}`;
    switch (model) {
      case 'product.product':
        return {
          name,
          default_code: random.chance(0.2) ? false : `P-${random.below(100)}`,
          list_price: random.below(10_000) / 100,
          categ_id: random.between(1, 9),
        };
      case 'res.partner':
        return {
          name,
          email: random.chance(0.3) ? false : `${random.below(100)}@example.com`,
          city: random.pick([false, 'Bern', 'Zug']),
        };
      case 'res.company':
        return { name, company_registry: `C-${random.below(100)}`, user_ids: [2] };
    }
  }

  #read(model: Model, fields: readonly string[]): readonly Row[] {
    return this.#call(model, fields).map((row) => ({
      ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, printed(name, value)])),
      id: row.id,
    }));
  }

  #call(model: string, fields: readonly string[]): readonly Row[] {
    const { text } = this.#database.respond({
      path: `/json/2/${model}/search_read`,
      headers: { authorization: `bearer ${ODOO_KEY}`, 'x-odoo-database': ODOO_DATABASE },
      body: JSON.stringify({ domain: [], fields, load: null, order: 'id', context: { active_test: false } }),
    });
    return JSON.parse(text);
  }
}

const BOOLEANS = ['active', 'is_company'];

/** A value as Stockbook has it. */
function printed(name: string, value: unknown): unknown {
  if (value === false && !BOOLEANS.includes(name)) return null;
  return name === 'write_date' ? new Date(`${String(value).replace(' ', 'T')}Z`).toISOString() : value;
}

function replyOf({ status, type, text }: OdooReply): Awaited<ReturnType<Host>> {
  return { status, headers: { 'content-type': type }, body: new Uint8Array(Buffer.from(text)) };
}
