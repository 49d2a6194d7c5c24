/**
 * What an Odoo has, and how it responds, as far as a mirror can tell: both protocols, `false` for what is empty, times of transactions that commit late,
 * and quants that disappear. `connectors/odoo` says what it relies on.
 */

export const ODOO_KEY = '0123456789abcdef0123456789abcdef01234567';
export const ODOO_DATABASE = 'mirrored';
export const ODOO_LOGIN = 'admin';

type Values = Record<string, unknown>;
type OdooRecord = Values & { id: number; write_date: string };

/** A request of a mirror. The names of headers are in lowercase. */
export interface OdooRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface OdooReply {
  readonly status: number;
  readonly type: 'application/json' | 'text/html';
  readonly text: string;
}

/** What there is if the database is wrong, or its server away. */
export const NO_DATABASE: OdooReply = { status: 404, type: 'text/html', text: '<h1>No database is selected</h1>' };

/** A page of a proxy before it. */
export const MAINTENANCE: OdooReply = { status: 200, type: 'text/html', text: '<h1>Maintenance</h1>' };

const VERSION_PATH = '/web/webclient/version_info';

const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'product.product': {
    id: 'integer',
    name: 'char',
    default_code: 'char',
    list_price: 'float',
    active: 'boolean',
    categ_id: 'many2one',
    product_tmpl_id: 'many2one',
    uom_id: 'many2one',
    qty_available: 'float',
    virtual_available: 'float',
    lst_price: 'float',
    x_category_name: 'char',
    standard_price: 'float',
    x_margin: 'float',
    currency_id: 'many2one',
    weight: 'float',
    sale_ok: 'boolean',
    x_brand: 'char',
    seller_ids: 'one2many',
    create_date: 'datetime',
    write_date: 'datetime',
  },
  'product.template': { id: 'integer', name: 'char', list_price: 'float', x_rank: 'integer', write_date: 'datetime' },
  'res.partner': {
    id: 'integer',
    name: 'char',
    complete_name: 'char',
    is_company: 'boolean',
    active: 'boolean',
    employee: 'boolean',
    ref: 'char',
    email: 'char',
    phone: 'char',
    vat: 'char',
    street: 'char',
    city: 'char',
    zip: 'char',
    country_code: 'char',
    create_date: 'datetime',
    write_date: 'datetime',
  },
  'res.company': {
    id: 'integer',
    name: 'char',
    company_registry: 'char',
    user_ids: 'many2many',
    create_date: 'datetime',
    write_date: 'datetime',
  },
  'stock.move': { id: 'integer', product_id: 'many2one', state: 'selection', write_date: 'datetime' },
  'stock.move.line': { id: 'integer', product_id: 'many2one', state: 'selection', write_date: 'datetime' },
  'stock.quant': {
    id: 'integer',
    product_id: 'many2one',
    quantity: 'float',
    location_id: 'many2one',
    write_date: 'datetime',
  },
  'res.lang': { id: 'integer', code: 'char', active: 'boolean', write_date: 'datetime' },
  'res.users': { id: 'integer', company_ids: 'many2many', write_date: 'datetime' },
  'mrp.bom': {
    id: 'integer',
    type: 'selection',
    active: 'boolean',
    product_id: 'many2one',
    product_tmpl_id: 'many2one',
    product_qty: 'float',
    product_uom_id: 'many2one',
    write_date: 'datetime',
  },
  'mrp.bom.line': {
    id: 'integer',
    bom_id: 'many2one',
    product_id: 'many2one',
    product_qty: 'float',
    product_uom_id: 'many2one',
    write_date: 'datetime',
  },
  'uom.uom': { id: 'integer', rounding: 'float', write_date: 'datetime' },
  'stock.warehouse': { id: 'integer', view_location_id: 'many2one', active: 'boolean', write_date: 'datetime' },
};

/** What Odoo says about fields that are computed. All others are stored, and depend on nothing. */
const COMPUTED: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  'product.product': {
    name: { store: false, depends: ['product_tmpl_id.name'] },
    list_price: { store: false, depends: ['product_tmpl_id.list_price'] },
    qty_available: { store: false, depends: ['stock_move_ids.product_qty'] },
    virtual_available: { store: false, depends: ['stock_move_ids.product_qty'] },
    lst_price: { store: false, depends: ['list_price', 'product_template_attribute_value_ids.price_extra'] },
    x_category_name: { store: true, depends: ['categ_id.name'] },
    standard_price: { store: false, company_dependent: true },
    x_margin: { store: true, depends: ['list_price', 'standard_price'] },
    sale_ok: { store: false, depends: ['product_tmpl_id.x_rank'] },
  },
  'product.template': { x_rank: { store: false } },
};

/** What a plain internal user may not read. */
const RESTRICTED = ['stock.move', 'mrp.bom', 'mrp.bom.line'];

const EMPTY: Readonly<Record<string, unknown>> = { float: 0, integer: 0, one2many: [], many2many: [] };

/** The id of the key's user. */
const USER = 2;

/** A location of the only warehouse, and the one that contains it. */
export const SHELF = 11;
const [WAREHOUSE, CUSTOMERS] = [10, 12];

export class OdooDatabase {
  readonly version: number;
  readonly #tables = new Map<string, Map<number, OdooRecord>>(Object.keys(TYPES).map((model) => [model, new Map()]));
  /** The unit of all products. */
  readonly #unit: number;
  readonly #now: () => number;
  #lastId = 0;
  /** Whether the user of the key may read moves. */
  isPlainUser = false;
  hasStock = true;
  hasManufacturing = false;
  /** Whether its PostgreSQL server can be reached. */
  hasDatabase = true;
  /** Whether a proxy responds in its place. */
  isInMaintenance = false;
  /** The companies that the key's user may work for; undefined if that is all of them. */
  allowedCompanies: readonly number[] | undefined;

  /** `now` is the time on its clock, in milliseconds since the epoch. */
  constructor(version: number, now: () => number) {
    this.version = version;
    this.#now = now;
    this.#unit = this.create('uom.uom', { rounding: 0.01 });
    for (const code of ['en_US', 'fr_FR', 'de_DE']) this.create('res.lang', { code, active: code !== 'de_DE' });
    this.create('stock.warehouse', { view_location_id: WAREHOUSE, active: true });
  }

  /** `late` is how many seconds ago the transaction began that commits now. */
  create(model: string, values: Values, late = 0, id = this.reserveId()): number {
    const time = this.#time(late);
    const empty = Object.entries(TYPES[model] ?? {}).map(([name, type]) => [name, EMPTY[type] ?? false]);
    const unit = model === 'product.product' ? { uom_id: this.#unit } : {};
    const record = { ...Object.fromEntries(empty), active: true, ...unit, ...values, id };
    this.#table(model).set(id, { ...record, create_date: time, write_date: time });
    return id;
  }

  /** Of a record that a transaction has created, and nobody else sees before it commits. */
  reserveId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  write(model: string, id: number, values: Values, late = 0): void {
    const record = this.#table(model).get(id);
    if (record !== undefined) Object.assign(record, values, { write_date: this.#time(late) });
  }

  /** A change that moves no time, such as that of a category that is deleted. */
  writeSilently(model: string, id: number, values: Values): void {
    Object.assign(this.#table(model).get(id) ?? {}, values);
  }

  unlink(model: string, id: number): void {
    this.#table(model).delete(id);
  }

  /** A receipt or a delivery: a done move, and a quant that is written, or removed with its last piece. */
  move(product: number, quantity: number, late = 0): void {
    for (const model of ['stock.move', 'stock.move.line'])
      this.create(model, { product_id: product, state: 'done' }, late);
    const quant = this.#quants(product).find(({ location_id: location }) => location === SHELF);
    if (quant === undefined) this.create('stock.quant', { product_id: product, quantity, location_id: SHELF }, late);
    else this.write('stock.quant', quant.id, { quantity: Number(quant['quantity']) + quantity }, late);
    this.create('stock.quant', { product_id: product, quantity: -quantity, location_id: CUSTOMERS }, late);
  }

  /** A phantom bill of material: a variant of a product, or all of a template, consist of so many of these components. Returns the id of the bill. */
  createKit(
    of: { readonly product: number } | { readonly template: number },
    components: ReadonlyMap<number, number>,
  ): number {
    const template =
      'product' in of ? this.#table('product.product').get(of.product)?.['product_tmpl_id'] : of.template;
    const bill = { type: 'phantom', product_tmpl_id: template, product_qty: 1, product_uom_id: this.#unit };
    const id = this.create('mrp.bom', 'product' in of ? { ...bill, product_id: of.product } : bill);
    for (const [component, quantity] of components)
      this.create('mrp.bom.line', {
        bom_id: id,
        product_id: component,
        product_qty: quantity,
        product_uom_id: this.#unit,
      });
    return id;
  }

  /** What opening the stock report does. */
  removeEmptyQuants(): void {
    const quants = this.#table('stock.quant');
    for (const { id, quantity } of [...quants.values()]) if (quantity === 0) quants.delete(id);
  }

  ids(model: string): readonly number[] {
    return [...this.#table(model).keys()];
  }

  #quants(product: number): readonly OdooRecord[] {
    return [...this.#table('stock.quant').values()].filter((quant) => quant['product_id'] === product);
  }

  #table(model: string): Map<number, OdooRecord> {
    const table = this.#tables.get(model);
    if (table === undefined) throw new Error(`there is no model ${model}`);
    return table;
  }

  #time(late: number): string {
    const date = new Date(this.#now() - late * 1_000);
    return date.toISOString().replace('T', ' ').slice(0, 19);
  }

  respond({ path, headers, body }: OdooRequest): OdooReply {
    if (this.isInMaintenance) return MAINTENANCE;
    if (path === VERSION_PATH)
      return json(200, { jsonrpc: '2.0', result: { server_version_info: [this.version, 0, 0, 'final', 0, ''] } });
    if (!this.hasDatabase) return NO_DATABASE;
    const args = JSON.parse(body || '{}');
    if (path === '/jsonrpc') return json(200, this.#jsonRpc(args.params));
    const [, , protocol, model = '', method = ''] = path.split('/');
    if (protocol !== '2' || this.version < 19) return json(404, error('werkzeug.exceptions.NotFound', 'Not found'));
    if (headers['x-odoo-database'] !== ODOO_DATABASE) return NO_DATABASE;
    if (headers['authorization'] !== `bearer ${ODOO_KEY}`)
      return json(401, error('werkzeug.exceptions.Unauthorized', 'Invalid apikey'));
    const result = this.#call(model, method, args);
    return result instanceof Refusal ? json(result.status, error(result.name, result.message)) : json(200, result);
  }

  #jsonRpc({ service, method, args }: RpcParameters): object {
    if (service === 'common' && method === 'authenticate') {
      const [database, login, key] = args;
      return { result: database === ODOO_DATABASE && login === ODOO_LOGIN && key === ODOO_KEY ? USER : false };
    }
    const [database, user, key, model, name, , named] = args;
    if (database !== ODOO_DATABASE)
      return { error: { data: error('psycopg2.OperationalError', 'database "x" does not exist') } };
    if (user !== USER || key !== ODOO_KEY)
      return { error: { data: error('odoo.exceptions.AccessDenied', 'Access Denied') } };
    const result = this.#call(String(model), String(name), named ?? {});
    return result instanceof Refusal ? { error: { data: error(result.name, result.message) } } : { result };
  }

  #call(model: string, method: string, args: CallArguments): unknown {
    const types = TYPES[model];
    const isInstalled =
      (this.hasStock || !model.startsWith('stock.')) && (this.hasManufacturing || !model.startsWith('mrp.'));
    if (types === undefined || !isInstalled)
      return new Refusal(404, 'werkzeug.exceptions.NotFound', `the model '${model}' does not exist`);
    const denied = new Refusal(
      403,
      'odoo.exceptions.AccessError',
      'You are not allowed to access the records.\nThey are…',
    );
    if (this.isPlainUser && RESTRICTED.includes(model)) return denied;
    if (this.isPlainUser && args.fields?.includes('qty_available')) return denied;
    const companies = this.allowedCompanies ?? this.ids('res.company');
    if (args.context?.allowed_company_ids?.some((id) => !companies.includes(id)))
      return new Refusal(403, 'odoo.exceptions.AccessError', 'Access to unauthorized or invalid companies.');
    const language = args.context?.lang ?? 'en_US';
    if (![...this.#table('res.lang').values()].some(({ code, active }) => code === language && active))
      return new Refusal(422, 'odoo.exceptions.UserError', `Invalid language code: ${language}`);
    const names = Object.keys(types).filter((name) => name !== 'qty_available' || this.hasStock);
    switch (method) {
      case 'fields_get':
        return Object.fromEntries(
          names.map((name) => {
            const about: Values = { type: types[name], string: name, store: true, ...COMPUTED[model]?.[name] };
            return [
              name,
              Object.fromEntries((args.attributes ?? []).map((attribute) => [attribute, about[attribute]])),
            ];
          }),
        );
      case 'context_get':
        return { lang: 'en_US', tz: 'UTC', uid: USER };
      case 'search_count':
        return this.#found(model, args).length;
      case 'search':
        return this.#found(model, args).map(({ id }) => id);
      case 'search_read': {
        const unknown = args.fields?.find((name) => !names.includes(name));
        if (unknown !== undefined)
          return new Refusal(500, 'builtins.ValueError', `Invalid field '${unknown}' on '${model}'`);
        if (model === 'res.users') return [{ id: USER, company_ids: companies }];
        return this.#found(model, args).map((record) => this.#printed(record, types, args));
      }
      default:
        return new Refusal(404, 'werkzeug.exceptions.NotFound', `The method ${method} does not exist`);
    }
  }

  #found(model: string, { domain = [], order = 'id', limit, context }: CallArguments): readonly OdooRecord[] {
    const records = [...this.#table(model).values()]
      .filter((record) => context?.active_test === false || record['active'] !== false)
      .filter((record) => domain.every((condition) => matches(record, condition)));
    const byTime = (a: OdooRecord, b: OdooRecord) => (a.write_date < b.write_date ? 1 : -1);
    return records.sort(order.startsWith('write_date desc') ? byTime : (a, b) => a.id - b.id).slice(0, limit);
  }

  #printed(record: OdooRecord, types: Readonly<Record<string, string>>, { fields = [], load }: CallArguments): Values {
    const printed = fields.map((name) => {
      const value = name === 'qty_available' ? this.#onHand(record.id) : record[name];
      return [name, types[name] === 'many2one' && load !== null && value !== false ? [value, 'Name'] : value];
    });
    return { id: record.id, ...Object.fromEntries(printed) };
  }

  #onHand(product: number): number {
    const bill = this.#kitOf(product);
    if (bill !== undefined) {
      const lines = [...this.#table('mrp.bom.line').values()].filter((line) => line['bom_id'] === bill.id);
      const kits = lines.map((line) => this.#onHand(Number(line['product_id'])) / Number(line['product_qty']));
      return kits.length === 0 ? 0 : Math.floor(Math.min(...kits) * Number(bill['product_qty']));
    }
    const there = this.#quants(product).filter(({ location_id: location }) => location === SHELF);
    const sum = there.reduce((total, { quantity }) => total + Number(quantity), 0);
    return Math.round(sum * 100) / 100;
  }

  #kitOf(product: number): OdooRecord | undefined {
    if (!this.hasManufacturing) return undefined;
    const template = this.#table('product.product').get(product)?.['product_tmpl_id'];
    return [...this.#table('mrp.bom').values()].find(
      (bill) =>
        bill['type'] === 'phantom' &&
        bill['active'] === true &&
        (bill['product_id'] === false ? bill['product_tmpl_id'] === template : bill['product_id'] === product),
    );
  }
}

interface RpcParameters {
  readonly service: string;
  readonly method: string;
  readonly args: readonly [
    database: string,
    user: string | number,
    key: string,
    model?: string,
    method?: string,
    positional?: readonly unknown[],
    named?: CallArguments,
  ];
}

interface CallArguments {
  readonly domain?: readonly (readonly [string, string, unknown])[];
  readonly fields?: readonly string[];
  readonly attributes?: readonly string[];
  readonly order?: string;
  readonly limit?: number;
  readonly load?: null;
  readonly context?: {
    readonly active_test?: boolean;
    readonly lang?: string;
    readonly allowed_company_ids?: readonly number[];
  };
}

function matches(record: OdooRecord, [field, operator, value]: readonly [string, string, unknown]): boolean {
  const own = record[field];
  switch (operator) {
    case '=':
      return own === value;
    case '!=':
      return own !== value;
    case 'in':
      return Array.isArray(value) && value.includes(own);
    case 'child_of':
      return Array.isArray(value) && (value.includes(own) || (own === SHELF && value.includes(WAREHOUSE)));
    case '>=':
      if (own === false) return false;
      return typeof own === 'string' ? own >= String(value) : Number(own) >= Number(value);
    case '<=':
      return typeof own === 'string' ? own <= String(value) : typeof own === 'number' && own <= Number(value);
    case '>':
      return Number(own) > Number(value);
    case '<':
      return Number(own) < Number(value);
    default:
      throw new Error(`there is no operator ${operator}`);
  }
}

class Refusal {
  readonly status: number;
  readonly name: string;
  readonly message: string;

  constructor(status: number, name: string, message: string) {
    this.status = status;
    this.name = name;
    this.message = message;
  }
}

/** As Odoo describes one. */
export function error(name: string, message: string): object {
  return { name, message, arguments: [message], context: {}, debug: 'Traceback (most recent call last): /odoo/secret' };
}

export function json(status: number, body: unknown): OdooReply {
  return { status, type: 'application/json', text: JSON.stringify(body) };
}
