/** The requests of each case: pure functions of the round, the index of the request and the size of the data. */

import {
  defaultCode,
  frequentTexts,
  generator,
  rareWord,
  rareWordCount,
  veryFrequentTexts,
  wordPairs,
} from './products.ts';

/** One request, in the form that Stockbook takes and in the form that the floor takes. */
export interface BenchRequest {
  readonly path: string;
  /** The values that vary, which are the path segments of the request to the floor. */
  readonly values?: readonly (string | number)[];
  /** The account whose key is sent: 0 is the large one, 1 to 99 are the small ones. */
  readonly account?: number;
  readonly accept?: string;
  /** Makes it a POST. */
  readonly body?: string;
}

export interface RequestStream {
  /** Sent before the clock starts. */
  readonly warmUp?: readonly BenchRequest[];
  /** The nth request of the round; undefined after the last. */
  readonly request: (n: number) => BenchRequest | undefined;
}

export type StreamFactory = (round: number, rows: number) => RequestStream;

const PRODUCTS = '/api/v1/inventory/product';

/** Cases that must not repeat a request divide the distinct ones among this many rounds. */
const SHARES = 8;

const filtered = (filter: string, page = 1) => `${PRODUCTS}?filter=${encodeURIComponent(filter)}&page=${page}&limit=10`;
const pageOf = (page: number, limit: number) => `${PRODUCTS}?page=${page}&limit=${limit}`;
const pages = (rows: number, limit: number) => Math.ceil(rows / limit);

/** A pseudorandom number from 0 to count - 1, the same in every run. */
function pick(round: number, n: number, count: number): number {
  return Math.floor(generator(round * 1_000_003 + n)() * count);
}

/** Visits 0 to count - 1 out of order, each number once before any repeats. */
function shuffled(n: number, count: number): number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (greatestCommonDivisor(step, count) !== 1) step += 1;
  return (n * step) % count;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

export const sameList: StreamFactory = () => ({ request: () => ({ path: `${PRODUCTS}?limit=10`, values: [] }) });

/** Alternates between a code, which one product has, and a quantity, which about 1 in 1000 has, on pages up to 100. */
export const variedLists: StreamFactory = (round, rows) => ({
  request(n) {
    if (n % 2 === 0) {
      const code = defaultCode(1 + pick(round, n, rows));
      return { path: filtered(`default_code=${code}`), values: ['default_code', code, 1] };
    }
    const quantity = pick(round, n, 1001);
    const page = 1 + pick(round, n + 1, Math.max(1, Math.min(100, Math.floor(rows / 10_000))));
    return { path: filtered(`qty_available=${quantity}`, page), values: ['qty_available', quantity, page] };
  },
});

export const records: StreamFactory = (round, rows) => ({
  request(n) {
    const id = 1 + pick(round, n, rows);
    return { path: `${PRODUCTS}/${id}`, values: [id] };
  },
});

/** Every page of 1000, out of order; none repeats before all have been requested. */
export const listsOf1000: StreamFactory = (round, rows) => ({
  warmUp: [{ path: pageOf(pages(rows, 1000), 1000), values: [pages(rows, 1000)] }],
  request(n) {
    const page = 1 + shuffled(round * 97 + n, pages(rows, 1000));
    return { path: pageOf(page, 1000), values: [page] };
  },
});

/** About 100 records each. So many distinct lists that hardly any is cached. */
export const listsOf100: StreamFactory = (round, rows) => ({
  request: (n) => ({ path: pageOf(1 + pick(round, n, pages(rows, 150)), 100 + pick(round, n + 1, 50)) }),
});

/** Responses of the feed are not cached, so its first page will do. */
export const changePages: StreamFactory = () => ({
  request: (n) => ({ path: `${PRODUCTS}/changes?limit=${1000 - (n % 500)}` }),
});

/** Lists of the same lengths. None repeats for a while, because the response would be cached. */
export const listPages: StreamFactory = (round, rows) => ({
  request(n) {
    const index = round * 1_000 + n;
    return { path: pageOf(1 + (Math.floor(index / 500) % pages(rows, 1000)), 1000 - (n % 500)) };
  },
});

/** Two bounds near 500 that no other request of the run has. */
function bounds(round: number, n: number): readonly [price: string, quantity: string] {
  const bound = (step: number) => (490 + (((round * 100_000 + n) * step) % 1) * 20).toFixed(6);
  return [bound(0.618_034), bound(0.414_214)];
}

export const coldTotals: StreamFactory = (round) => ({
  request(n) {
    const [price, quantity] = bounds(round, n);
    return { path: filtered(`list_price>${price}&qty_available>${quantity}`), values: [price, quantity] };
  },
});

export const sortedPages: StreamFactory = (round) => ({
  request(n) {
    const [price] = bounds(round, n);
    return { path: `${filtered(`list_price>${price}`)}&sort=-qty_available`, values: [price] };
  },
});

const aggregated = (price: string, rest: string) =>
  `${PRODUCTS}/aggregate?filter=${encodeURIComponent(`list_price>${price}`)}&${rest}`;

/** Half of all rows match. */
export const aggregates: StreamFactory = (round) => ({
  request(n) {
    const [price] = bounds(round, n);
    return { path: aggregated(price, 'measures=sum(list_price),avg(qty_available)&facets=categ_id'), values: [price] };
  },
});

export const fiveFacets: StreamFactory = (round) => ({
  request(n) {
    const [price] = bounds(round, n);
    return { path: aggregated(price, 'facets=categ_id,active,is_rsd_product,list_price:20,create_date:month') };
  },
});

export const nextPages: StreamFactory = (round, rows) => {
  const [price, quantity] = bounds(round, 99_999);
  const pageRequest = (page: number): BenchRequest => ({
    path: filtered(`list_price>${price}&qty_available>${quantity}`, page),
    values: [price, quantity, page],
  });
  const last = Math.min(1000, Math.floor(rows * 0.02));
  return { warmUp: [pageRequest(1)], request: (n) => (n + 2 > last ? undefined : pageRequest(n + 2)) };
};

/** Pages of 10 from a twentieth of the list that starts at this share of it, out of order, each once in the run. */
function pagesFrom(share: number): StreamFactory {
  return (round, rows) => {
    const all = pages(rows, 10);
    const span = Math.ceil(all * 0.05);
    const each = Math.ceil(span / SHARES);
    const first = 1 + Math.floor(all * share);
    return {
      warmUp: [{ path: pageOf(Math.ceil(all * 0.97), 10) }],
      request: (n) => (n < each ? { path: pageOf(first + shuffled(round * each + n, span), 10) } : undefined),
    };
  };
}

export const deepPages = pagesFrom(0.875);
export const firstPages = pagesFrom(0);

export const walk: StreamFactory = (_, rows) => ({
  request: (n) => (n < pages(rows, 1000) ? { path: pageOf(n + 1, 1000) } : undefined),
});

export const wholeExport: StreamFactory = () => ({
  request: (n) => (n === 0 ? { path: PRODUCTS, accept: 'application/x-ndjson', values: [] } : undefined),
});

/** A different share of the texts in each round, so that no search repeats. */
function searches(
  count: number,
  round: number,
  textOf: (index: number) => string,
  pathFor = (text: string) => filtered(`name*${text}`),
): RequestStream {
  const each = Math.ceil(count / SHARES);
  return {
    request(n) {
      if (n >= each) return undefined;
      const text = textOf(shuffled(round * each + n, count));
      return { path: pathFor(text), values: text.split(' ') };
    },
  };
}

export const rareSearches: StreamFactory = (round, rows) => searches(rareWordCount(rows), round, rareWord);

export const frequentSearches: StreamFactory = (round) =>
  searches(frequentTexts.length, round, (index) => frequentTexts[index] ?? '');

export const veryFrequentSearches: StreamFactory = (round) =>
  searches(veryFrequentTexts.length, round, (index) => veryFrequentTexts[index] ?? '');

export const wordSearches: StreamFactory = (round) =>
  searches(
    wordPairs.length,
    round,
    (index) => wordPairs[index] ?? '',
    (text) => `${PRODUCTS}?q=${encodeURIComponent(text)}`,
  );

export const creates: StreamFactory = (round) => ({
  request(n) {
    const name = `Partner ${round} ${n}`;
    return { path: '/api/v1/resources/partner', values: [name], body: JSON.stringify({ name }) };
  },
});

const PARTNER = '/api/v1/resources/partner';

/** So many new partners in every request. */
function importsOf(rows: number): StreamFactory {
  return (round) => ({
    request(n) {
      const partners = Array.from({ length: rows }, (_, index) => ({ name: `Partner ${round} ${n} ${index}` }));
      return { path: `${PARTNER}/import`, body: JSON.stringify(partners) };
    },
  });
}

export const importsOf1 = importsOf(1);
export const importsOf100 = importsOf(100);
export const importsOf10000 = importsOf(10_000);

/** One record, which exists once the first import was made. */
export const firstPartner: StreamFactory = () => ({
  warmUp: [{ path: `${PARTNER}/import`, body: '[{"id":1,"name":"First"}]' }],
  request: () => ({ path: `${PARTNER}/1` }),
});

/** Three quarters of all rows match, and no single index can find them. */
export const coldScans: StreamFactory = (round) => ({
  request(n) {
    const [price, quantity] = bounds(50 + round, n);
    return { path: filtered(`list_price>${price}|qty_available>${quantity}`) };
  },
});

/** A list from each account in turn, then a record from each, and so on: 1000 distinct records for any number of accounts. */
function roundRobin(accounts: number, first: number): StreamFactory {
  const records = 1_000 / accounts;
  return (round) => ({
    request(n) {
      const account = first + (n % accounts);
      const isList = Math.floor(n / accounts) % 2 === 0;
      return { account, path: isList ? `${PRODUCTS}?limit=10` : `${PRODUCTS}/${1 + pick(round, n, records)}` };
    },
  });
}

/** New filters for this many accounts in turn, so that no response is cached. */
function coldRoundRobin(accounts: number): StreamFactory {
  return (round) => ({
    // Each account has signed in and sent a list before.
    warmUp: round > 0 ? [] : Array.from({ length: accounts }, (_, account) => ({ account, path: PRODUCTS })),
    request(n) {
      const [price] = bounds(round, n);
      return { account: (n * 7_919) % accounts, path: filtered(`list_price>${price}`) };
    },
  });
}

export const tenThousandAccounts = coldRoundRobin(10_000);
export const hundredOfThem = coldRoundRobin(100);

export const hundredAccounts = roundRobin(100, 0);
export const oneAccount = roundRobin(1, 1);
