/** What is asked in each case: pure functions of the round, the number of the request and the size of the data. */

import { defaultCode, frequentTexts, generator, rareWord, rareWordCount } from './products.ts';

/** One request, as Stockbook and as the floor are asked it. */
export interface Ask {
  readonly path: string;
  /** What the floor is told: just the values that vary. */
  readonly values?: readonly (string | number)[];
  /** Whose key is used: 0 is the account with all the rows, 1 to 99 are the small ones. */
  readonly account?: number;
  readonly accept?: string;
  /** Makes it a POST. */
  readonly body?: string;
}

export interface Requests {
  /** Asked before the clock starts. */
  readonly warm?: readonly Ask[];
  /** The nth request of this round; undefined when there are no more. */
  readonly ask: (n: number) => Ask | undefined;
}

export type RequestsOf = (round: number, rows: number) => Requests;

const PRODUCTS = '/api/v1/inventory/product';

/** Cases whose requests have to be new in each round share what there is among so many rounds. */
const SHARES = 8;

const filtered = (filter: string, page = 1) => `${PRODUCTS}?filter=${encodeURIComponent(filter)}&page=${page}&limit=10`;
const pageOf = (page: number, limit: number) => `${PRODUCTS}?page=${page}&limit=${limit}`;
const pages = (rows: number, limit: number) => Math.ceil(rows / limit);

/** A number from 0 to count - 1 that looks random and is the same in every run. */
function pick(round: number, n: number, count: number): number {
  return Math.floor(generator(round * 1_000_003 + n)() * count);
}

/** Goes through 0 to count - 1 in leaps, each number once before any comes again. */
function shuffled(n: number, count: number): number {
  let step = Math.max(1, Math.floor(count * 0.618));
  while (greatestDivisor(step, count) !== 1) step += 1;
  return (n * step) % count;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

export const sameList: RequestsOf = () => ({ ask: () => ({ path: `${PRODUCTS}?limit=10`, values: [] }) });

/** By turns a quantity, about a thousandth of all, with its pages up to 100, and a code, which is one product's. */
export const variedLists: RequestsOf = (round, rows) => ({
  ask(n) {
    if (n % 2 === 0) {
      const code = defaultCode(1 + pick(round, n, rows));
      return { path: filtered(`default_code=${code}`), values: ['default_code', code, 1] };
    }
    const quantity = pick(round, n, 1001);
    const page = 1 + pick(round, n + 1, Math.max(1, Math.min(100, Math.floor(rows / 10_000))));
    return { path: filtered(`qty_available=${quantity}`, page), values: ['qty_available', quantity, page] };
  },
});

export const records: RequestsOf = (round, rows) => ({
  ask(n) {
    const id = 1 + pick(round, n, rows);
    return { path: `${PRODUCTS}/${id}`, values: [id] };
  },
});

/** Every page of 1000, in no order; none comes again before all have been asked. */
export const listsOf1000: RequestsOf = (round, rows) => ({
  warm: [{ path: pageOf(pages(rows, 1000), 1000), values: [pages(rows, 1000)] }],
  ask(n) {
    const page = 1 + shuffled(round * 97 + n, pages(rows, 1000));
    return { path: pageOf(page, 1000), values: [page] };
  },
});

/** Two bounds near 500 that no other request of the run has. */
function bounds(round: number, n: number): readonly [string, string] {
  const number = round * 100_000 + n;
  return [0.618_034, 0.414_214].map((part) => (490 + ((number * part) % 1) * 20).toFixed(6)) as [string, string];
}

export const coldTotals: RequestsOf = (round) => ({
  ask(n) {
    const [price, quantity] = bounds(round, n);
    return { path: filtered(`list_price>${price}&qty_available>${quantity}`), values: [price, quantity] };
  },
});

export const nextPages: RequestsOf = (round, rows) => {
  const [price, quantity] = bounds(round, 99_999);
  const ask = (page: number): Ask => ({
    path: filtered(`list_price>${price}&qty_available>${quantity}`, page),
    values: [price, quantity, page],
  });
  const last = Math.min(1000, Math.floor(rows * 0.02));
  return { warm: [ask(1)], ask: (n) => (n + 2 > last ? undefined : ask(n + 2)) };
};

/** One after the other from a part of the pages of 10, each once in the run. */
function pagesFrom(share: number): RequestsOf {
  return (round, rows) => {
    const all = pages(rows, 10);
    const span = Math.ceil(all * 0.05);
    const each = Math.ceil(span / SHARES);
    const first = 1 + Math.floor(all * share);
    return {
      warm: [{ path: pageOf(Math.ceil(all * 0.97), 10) }],
      ask: (n) => (n < each ? { path: pageOf(first + shuffled(round * each + n, span), 10) } : undefined),
    };
  };
}

export const deepPages = pagesFrom(0.875);
export const firstPages = pagesFrom(0);

export const walk: RequestsOf = (_, rows) => ({
  ask: (n) => (n < pages(rows, 1000) ? { path: pageOf(n + 1, 1000) } : undefined),
});

export const wholeExport: RequestsOf = () => ({
  ask: (n) => (n === 0 ? { path: PRODUCTS, accept: 'application/x-ndjson', values: [] } : undefined),
});

/** A share of the texts for each round, so that each is asked once in the run. */
function texts(count: number, round: number, textOf: (index: number) => string): Requests {
  const each = Math.ceil(count / SHARES);
  return {
    ask(n) {
      if (n >= each) return undefined;
      const text = textOf(shuffled(round * each + n, count));
      return { path: filtered(`name*${text}`), values: [text] };
    },
  };
}

export const rareTexts: RequestsOf = (round, rows) => texts(rareWordCount(rows), round, rareWord);

export const frequentOnes: RequestsOf = (round) =>
  texts(frequentTexts.length, round, (index) => frequentTexts[index] ?? '');

export const creates: RequestsOf = (round) => ({
  ask(n) {
    const name = `Partner ${round} ${n}`;
    return { path: '/api/v1/resources/partner', values: [name], body: JSON.stringify({ name }) };
  },
});

/** Three quarters of all rows match, and no single index tells which. */
export const coldScans: RequestsOf = (round) => ({
  ask(n) {
    const [price, quantity] = bounds(50 + round, n);
    return { path: filtered(`list_price>${price}|qty_available>${quantity}`) };
  },
});

/** A list and a record by turns, from each of so many accounts in turn: as many different records, however many accounts. */
function inTurn(accounts: number, first: number): RequestsOf {
  const records = 1_000 / accounts;
  return (round) => ({
    ask(n) {
      const account = first + (n % accounts);
      const isList = Math.floor(n / accounts) % 2 === 0;
      return { account, path: isList ? `${PRODUCTS}?limit=10` : `${PRODUCTS}/${1 + pick(round, n, records)}` };
    },
  });
}

export const hundredAccounts = inTurn(100, 0);
export const oneAccount = inTurn(1, 1);
