/** What the hostile account does in the case `bully`. Every request is legal, and all of them come from one key. */

export interface Attack {
  /** As the report shows it. */
  readonly name: string;
  readonly connections: number;
  /** The paths that a connection requests at once; `n` is the number of the batch, counted over all connections. */
  readonly batch: (n: number, rows: number) => readonly string[];
  readonly accept?: string;
  /**
   * How clients read. `all` reads the response, then sends the next batch on the same connection. `first` disconnects as
   * soon as a response arrives, and connects again. `none` reads nothing but the status.
   */
  readonly reads: 'all' | 'first' | 'none';
}

const PRODUCTS = '/api/v1/inventory/product';
const PARTNERS = '/api/v1/resources/partner';

/** The fields whose combinations make different statements. */
const FIELDS =
  'name,default_code,list_price,qty_available,active,categ_id,product_tmpl_id,is_rsd_product,write_date'.split(',');

/** The maximum number of conditions in a filter. */
const MAX_CONDITIONS = 200;

/** Searching the names of this many products, once for each condition, costs about the maximum of a filter. */
const MAX_SEARCHES = 40_000_000;

/** The records of the largest page that the partners of the account have: about 6 MB. */
const LARGE_PAGE = 650;

const filtered = (filter: string) => `${PRODUCTS}?limit=10&filter=${encodeURIComponent(filter)}`;

/** Never the same twice. */
const coldFilter = (n: number) => filtered(`list_price>${(500 + n / 1_000_000).toFixed(6)}|qty_available>999.5`);

function heavyFilter(n: number, rows: number): string {
  const count = Math.min(MAX_CONDITIONS, Math.floor(MAX_SEARCHES / rows));
  return filtered(Array.from({ length: count }, (_, index) => `name!*q${n}x${index}`).join('&'));
}

function otherFields(n: number): string {
  const some = FIELDS.filter((_, index) => ((1 + (n % (2 ** FIELDS.length - 1))) >> index) % 2 === 1);
  return `${PRODUCTS}?limit=10&page=${1 + (n % 250)}&fields=${some.join(',')}`;
}

export const attacks: readonly Attack[] = [
  { name: 'cold filters', connections: 200, batch: (n) => [coldFilter(n)], reads: 'all' },
  { name: 'heavy filters', connections: 30, batch: (n, rows) => [heavyFilter(n, rows)], reads: 'all' },
  {
    name: 'pipelined filters',
    connections: 4,
    batch: (n) => Array.from({ length: 150 }, (_, index) => coldFilter(n * 150 + index)),
    reads: 'first',
  },
  { name: 'slow exports', connections: 16, batch: () => [PRODUCTS], accept: 'application/x-ndjson', reads: 'none' },
  {
    name: 'large pages',
    connections: 8,
    batch: (n) => [`${PARTNERS}?limit=${LARGE_PAGE + (n % 50)}`],
    reads: 'all',
  },
  { name: 'different shapes', connections: 8, batch: (n) => [otherFields(n)], reads: 'all' },
];

export function attackNamed(name: string): Attack | undefined {
  return attacks.find((attack) => attack.name === name);
}
