/** The cases: what each means, what is asked, beside what it is measured, and what it must reach on each engine. */

import * as requests from './requests.ts';

export type EngineName = 'sqlite' | 'postgres';

/** `asked` is what the case is about, `beside` what it is held against, `noise` what another client asks meanwhile. */
export type StreamName = 'asked' | 'beside' | 'noise';

export interface LoadStats {
  readonly requests: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Requests in a second. */
  readonly rate: number;
  /** Times of an answer, in milliseconds. */
  readonly mean: number;
  readonly median: number;
  readonly p99: number;
  /** The time that the first and the last tenth of the requests took. */
  readonly first: number;
  readonly last: number;
}

/** What one contender did in one round; `value` is what the case shows and compares. */
export interface Sample {
  readonly value: number;
  readonly load?: LoadStats;
}

/** The samples of one round, by contender: `stockbook`, `floor`, `bare`, or what `beside` names. */
export type Round = Readonly<Record<string, Sample>>;

export interface Target {
  readonly must: string;
  /** The contender that it compares with. */
  readonly beside?: string;
  /** Undefined where the round does not have what it takes. */
  readonly ratio: (round: Round) => number | undefined;
  readonly isMet: (ratio: number) => boolean;
}

export type Unit = 'req/s' | 'rows/s' | 'ms' | 's' | 'MB';

export interface Case {
  readonly name: string;
  readonly meaning: string;
  readonly unit: Unit;
  readonly targets: Readonly<Record<EngineName, readonly Target[]>>;
  /** What is sent; cases without streams have a measure of their own in `measures.ts`. */
  readonly streams?: Readonly<Partial<Record<StreamName, requests.RequestsOf>>>;
  /** What the contender is called that gets the stream `beside`. */
  readonly beside?: string;
  /** What of the load is the value. */
  readonly value?: (load: LoadStats, rows: number) => number;
  readonly connections?: number;
  /** The connections to the floor, where they are others; without it there is no floor. */
  readonly floor?: number;
  /** A second floor on an engine, which does the same in another way. */
  readonly otherFloor?: Readonly<Partial<Record<EngineName, OtherFloor>>>;
  readonly bare?: true;
  /** On databases of its own, which are new, so that what it writes is not there in the next run. */
  readonly isWriting?: true;
  /** Goes on until there are no more requests, and in so many rounds at most. */
  readonly rounds?: number;
}

export interface OtherFloor {
  readonly name: string;
  /** The connections to it, where they are others than to the floor. */
  readonly connections?: number;
  /** Whether it works on new tables of Stockbook's, and not on the floor's. */
  readonly onOwnTables?: true;
}

const rate = (load: LoadStats) => load.rate;
const median = (load: LoadStats) => load.median;

const ratioTo = (other: string) => (round: Round) =>
  round['stockbook'] && round[other] && round['stockbook'].value / round[other].value;

const atLeast = (share: number, other: string): Target => ({
  must: `>= ${share} of ${other}`,
  beside: other,
  ratio: ratioTo(other),
  isMet: (ratio) => ratio >= share,
});

const atMost = (times: number, other: string): Target => ({
  must: `<= ${times} of ${other}`,
  beside: other,
  ratio: ratioTo(other),
  isMet: (ratio) => ratio <= times,
});

const under = (limit: number, unit: Unit): Target => ({
  must: `<= ${limit} ${unit}`,
  ratio: (round) => round['stockbook']?.value,
  isMet: (value) => value <= limit,
});

const evenWalk: Target = {
  must: 'last tenth <= 1.2 of first',
  ratio: ({ stockbook }) => stockbook?.load && stockbook.load.last / stockbook.load.first,
  isMet: (ratio) => ratio <= 1.2,
};

const both = (...targets: readonly Target[]) => ({ sqlite: targets, postgres: targets });

export const cases: readonly Case[] = [
  {
    name: 'same-list',
    meaning: 'the same list of 10 again, nothing written since',
    unit: 'req/s',
    streams: { asked: requests.sameList },
    value: rate,
    connections: 16,
    floor: 16,
    bare: true,
    targets: { sqlite: [atLeast(0.6, 'bare')], postgres: [atLeast(3, 'floor')] },
  },
  {
    name: 'varied-lists',
    meaning: 'lists of 10, each different: page and filter vary, the filter is on an indexed field',
    unit: 'req/s',
    streams: { asked: requests.variedLists },
    value: rate,
    connections: 16,
    floor: 16,
    bare: true,
    targets: { sqlite: [atLeast(0.8, 'floor')], postgres: [atLeast(1, 'floor')] },
  },
  {
    name: 'record',
    meaning: 'one record, ids vary',
    unit: 'req/s',
    streams: { asked: requests.records },
    value: rate,
    connections: 16,
    floor: 16,
    bare: true,
    targets: { sqlite: [atLeast(0.8, 'floor')], postgres: [atLeast(1, 'floor')] },
  },
  {
    name: 'list-1000',
    meaning: 'lists of 1000, all fields, pages vary',
    unit: 'req/s',
    streams: { asked: requests.listsOf1000 },
    value: rate,
    connections: 4,
    floor: 4,
    bare: true,
    targets: both(atLeast(0.9, 'floor')),
  },
  {
    name: 'cold-total',
    meaning: 'a filtered list with its exact total, never asked before; the floor counts and reads the page',
    unit: 'ms',
    streams: { asked: requests.coldTotals },
    value: median,
    floor: 1,
    // SQLite goes by an index here, which is slower than reading the whole table: beating that alone would be no news.
    otherFloor: { sqlite: { name: 'scan' } },
    targets: { sqlite: [atMost(0.5, 'floor'), atMost(1, 'scan')], postgres: [atMost(1, 'floor')] },
  },
  {
    name: 'next-pages',
    meaning: 'the next pages of such a filter; the floor reads the page alone',
    unit: 'req/s',
    streams: { asked: requests.nextPages },
    value: rate,
    floor: 1,
    bare: true,
    targets: both(atLeast(0.8, 'floor')),
  },
  {
    name: 'deep-page',
    meaning: 'pages of 10 nine tenths down, after the first such page, beside pages at the start',
    unit: 'ms',
    streams: { asked: requests.deepPages, beside: requests.firstPages },
    beside: 'start',
    value: median,
    targets: both(atMost(1.5, 'start')),
  },
  {
    name: 'walk',
    meaning: 'all pages of 1000 one after the other, beside one streamed export',
    unit: 's',
    streams: { asked: requests.walk, beside: requests.wholeExport },
    beside: 'export',
    value: (load) => load.seconds,
    rounds: 3,
    targets: both(evenWalk, atMost(1.5, 'export')),
  },
  {
    name: 'contains-rare',
    meaning: 'a text of 7 letters that about 20 names have, each new; the floor reads all rows once',
    unit: 'ms',
    streams: { asked: requests.rareTexts },
    value: median,
    floor: 1,
    targets: both(atMost(0.05, 'floor')),
  },
  {
    name: 'contains-frequent',
    meaning: 'a text that 3 % of the names have, each new; the floor reads all rows once, to count, and the page',
    unit: 'ms',
    streams: { asked: requests.frequentOnes },
    value: median,
    floor: 1,
    targets: both(atMost(1, 'floor')),
  },
  {
    name: 'creates',
    meaning: 'partners made from 16 connections, each durable before it is answered; the floor has one connection',
    unit: 'req/s',
    streams: { asked: requests.creates },
    value: rate,
    connections: 16,
    floor: 1,
    // How much sharing a commit can gain where nothing else is done.
    otherFloor: { sqlite: { name: 'shared', connections: 16, onOwnTables: true } },
    isWriting: true,
    targets: { sqlite: [atLeast(3, 'floor'), atLeast(0.5, 'shared')], postgres: [atLeast(2, 'floor')] },
  },
  {
    name: 'neighbour',
    meaning: 'p99 of one record while another client keeps asking cold scans, beside its p99 alone',
    unit: 'ms',
    streams: { asked: requests.records, beside: requests.records, noise: requests.coldScans },
    beside: 'alone',
    value: (load) => load.p99,
    targets: both(atMost(5, 'alone')),
  },
  {
    name: 'accounts',
    meaning: 'a list and a record by turns, from 100 accounts in turn, beside one account',
    unit: 'req/s',
    streams: { asked: requests.hundredAccounts, beside: requests.oneAccount },
    beside: 'one',
    value: rate,
    connections: 16,
    targets: both(atLeast(0.8, 'one')),
  },
  {
    name: 'export',
    meaning: 'all products as NDJSON in one stream',
    unit: 'rows/s',
    streams: { asked: requests.wholeExport },
    value: (load, rows) => rows / load.seconds,
    floor: 1,
    rounds: 3,
    targets: both(atLeast(0.7, 'floor')),
  },
  {
    name: 'import',
    meaning: 'the CSV file into an empty account, beside the shortest loader into the same table with the same indexes',
    unit: 's',
    rounds: 3,
    targets: { sqlite: [atMost(3, 'floor')], postgres: [atMost(2, 'floor')] },
  },
  {
    name: 'start',
    meaning: 'from the start of the program to its first answer',
    unit: 'ms',
    targets: both(under(1000, 'ms')),
  },
  {
    name: 'memory',
    meaning: 'anonymous memory (RssAnon) of the largest server process after all cases before it',
    unit: 'MB',
    rounds: 1,
    targets: both(under(300, 'MB')),
  },
];

export function caseNamed(name: string): Case | undefined {
  return cases.find((one) => one.name === name);
}
