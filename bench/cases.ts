/** The benchmark cases: what each one measures, what it is compared with, and its targets on each engine. */

import { type Attack, attacks } from './attacks.ts';
import * as streams from './requests.ts';

export type EngineName = 'sqlite' | 'postgres';

/** `measured` is what the case is about, `reference` what it is compared with, `noise` comes from another client meanwhile. */
export type StreamName = 'measured' | 'reference' | 'noise';

export interface LoadStats {
  readonly requests: number;
  readonly seconds: number;
  readonly bytes: number;
  /** Requests per second. */
  readonly rate: number;
  /** Latencies in milliseconds. */
  readonly mean: number;
  readonly median: number;
  readonly p99: number;
  /** Total latency of the first and of the last tenth of the requests, in milliseconds. */
  readonly first: number;
  readonly last: number;
}

/** The measurement of one contender in one round. `value` is in the unit of the case. */
export interface Sample {
  readonly value: number;
  readonly load?: LoadStats;
  /** CPU time of the server's processes per request, in microseconds. A database server's is not included. */
  readonly cpu?: number;
}

/** The samples of one round by contender: `stockbook`, `floor`, `baseline`, or the name of a reference. */
export type Round = Readonly<Record<string, Sample>>;

export interface Target {
  /** As the report shows it. */
  readonly goal: string;
  /** The contender that is compared; `stockbook` by default. */
  readonly subject?: string;
  /** The contender that it is compared with. */
  readonly reference?: string;
  /** Undefined if the round lacks a sample. */
  readonly ratio: (round: Round) => number | undefined;
  /** How many times better than required a ratio is: the target is met from 1 up. Undefined if any ratio will do. */
  readonly margin?: (ratio: number) => number;
}

export type Unit = 'req/s' | 'rows/s' | 'ms' | 's' | 'MB' | 'bytes';

/** Whether more of this unit is better; of times and sizes, less is. */
export function isRate(unit: Unit): boolean {
  return unit === 'req/s' || unit === 'rows/s';
}

export interface Case {
  readonly name: string;
  readonly description: string;
  readonly unit: Unit;
  readonly targets: Readonly<Record<EngineName, readonly Target[]>>;
  /** The requests to send. Cases without any are measured by `measuresWithoutLoad` in `contenders.ts`. */
  readonly streams?: Readonly<Partial<Record<StreamName, streams.StreamFactory>>>;
  /** The contender name of the stream `reference`. */
  readonly reference?: string;
  /** Streams that are sent at the same time, each on a connection of its own: alone, and during each of the attacks. */
  readonly lanes?: Readonly<Record<string, streams.StreamFactory>>;
  readonly attacks?: readonly Attack[];
  /** Derives the value from the load statistics. */
  readonly value?: (load: LoadStats, rows: number) => number;
  /** Connections to Stockbook and the baseline; 1 by default. */
  readonly connections?: number;
  /** Connections to the floor. Without it, the case has no floor. */
  readonly floorConnections?: number;
  /** A second floor on an engine, which does the same in a different way. */
  readonly secondFloor?: Readonly<Partial<Record<EngineName, SecondFloor>>>;
  readonly hasBaseline?: true;
  /**
   * `scratch` is new, and dropped afterwards, so that writes do not affect later runs; `many accounts` has 10,000 with 100
   * products each. By default, the case uses the server and the database that all share.
   */
  readonly database?: 'scratch' | 'many accounts';
  /** Measured once an index in memory finds the filters. */
  readonly needsIndex?: true;
  /** The floor's responses have another shape, so that they cannot be compared. */
  readonly hasOtherShape?: true;
  /** Clients wait for changes on a new database, which two servers share. */
  readonly isWaiting?: true;
  /** Runs until its requests are exhausted, in at most this many rounds and without a warm-up round. */
  readonly maxRounds?: number;
}

export interface SecondFloor {
  readonly name: string;
  /** As many as the floor's by default. */
  readonly connections?: number;
  /** Works on new Stockbook tables instead of the floor's. */
  readonly usesStockbookTables?: true;
}

const rate = (load: LoadStats) => load.rate;
const median = (load: LoadStats) => load.median;

const ratioTo = (other: string) => (round: Round) =>
  round['stockbook'] && round[other] && round['stockbook'].value / round[other].value;

const atLeast = (bound: number, other: string): Target => ({
  goal: `>= ${bound} x ${other}`,
  reference: other,
  ratio: ratioTo(other),
  margin: (ratio) => ratio / bound,
});

const atMost = (bound: number, other: string): Target => ({
  goal: `<= ${bound} x ${other}`,
  reference: other,
  ratio: ratioTo(other),
  margin: (ratio) => bound / ratio,
});

const under = (bound: number, unit: Unit): Target => ({
  goal: `<= ${bound} ${unit}`,
  ratio: (round) => round['stockbook']?.value,
  margin: (value) => bound / value,
});

const over = (bound: number, unit: Unit): Target => ({
  goal: `>= ${bound} ${unit}`,
  ratio: (round) => round['stockbook']?.value,
  margin: (value) => value / bound,
});

/** The names of a lane's contenders. */
export const aloneName = (lane: string) => `${lane} alone`;
export const attackedName = (lane: string, { name }: Attack) => `${lane}, ${name}`;

const duringAttacks = (lane: string, bound?: number): readonly Target[] =>
  attacks.map((attack) => {
    const [subject, reference] = [attackedName(lane, attack), aloneName(lane)];
    return {
      goal: bound === undefined ? '' : `<= ${bound} x alone`,
      subject,
      reference,
      ratio: (round) => round[subject] && round[reference] && round[subject].value / round[reference].value,
      ...(bound !== undefined && { margin: (ratio: number) => bound / ratio }),
    };
  });

/** The contender whose changes are made on another server than the one that is waited on. */
export const TWO_NODES = 'two nodes';

const withTwoNodes = (bound: number): Target => ({
  goal: `<= ${bound} ms`,
  subject: TWO_NODES,
  ratio: (round) => round[TWO_NODES]?.value,
  margin: (value) => bound / value,
});

const steadyWalk: Target = {
  goal: 'last tenth <= 1.2 x first',
  ratio: ({ stockbook }) => stockbook?.load && stockbook.load.last / stockbook.load.first,
  margin: (ratio) => 1.2 / ratio,
};

const both = (...targets: readonly Target[]) => ({ sqlite: targets, postgres: targets });

export const cases: readonly Case[] = [
  {
    name: 'same-list',
    description: 'the same list of 10 repeatedly, with no writes in between',
    unit: 'req/s',
    streams: { measured: streams.sameList },
    value: rate,
    connections: 16,
    floorConnections: 16,
    hasBaseline: true,
    targets: { sqlite: [atLeast(0.6, 'baseline')], postgres: [atLeast(3, 'floor')] },
  },
  {
    name: 'varied-lists',
    description: 'lists of 10, varying the page and a filter on an indexed field',
    unit: 'req/s',
    streams: { measured: streams.variedLists },
    value: rate,
    needsIndex: true,
    connections: 16,
    floorConnections: 16,
    hasBaseline: true,
    targets: { sqlite: [atLeast(0.8, 'floor')], postgres: [atLeast(1, 'floor')] },
  },
  {
    name: 'record',
    description: 'one record, varying the id',
    unit: 'req/s',
    streams: { measured: streams.records },
    value: rate,
    connections: 16,
    floorConnections: 16,
    hasBaseline: true,
    targets: { sqlite: [atLeast(0.8, 'floor')], postgres: [atLeast(1, 'floor')] },
  },
  {
    name: 'list-1000',
    description: 'lists of 1000 with all fields, varying the page',
    unit: 'req/s',
    streams: { measured: streams.listsOf1000 },
    value: rate,
    connections: 4,
    floorConnections: 4,
    hasBaseline: true,
    targets: both(atLeast(0.9, 'floor')),
    needsIndex: true,
  },
  {
    name: 'cold-total',
    description: 'a list with a new filter and its exact total; the floor counts and reads the page',
    unit: 'ms',
    streams: { measured: streams.coldTotals },
    value: median,
    floorConnections: 1,
    // SQLite chooses an index here, which is slower than a full scan, so the floor alone would be too easy to beat.
    secondFloor: { sqlite: { name: 'scan' } },
    needsIndex: true,
    targets: { sqlite: [atMost(0.5, 'floor'), atMost(0.05, 'scan')], postgres: [atMost(0.05, 'floor')] },
  },
  {
    name: 'cold-filters',
    description: 'the same from 16 clients at once',
    unit: 'req/s',
    streams: { measured: streams.coldTotals },
    value: rate,
    connections: 16,
    floorConnections: 16,
    secondFloor: { sqlite: { name: 'scan' } },
    needsIndex: true,
    targets: { sqlite: [atLeast(30, 'scan')], postgres: [atLeast(30, 'floor')] },
  },
  {
    name: 'sorted-page',
    description: 'the first page of a new filter, sorted by a field; the floor counts, sorts and reads the page',
    unit: 'ms',
    streams: { measured: streams.sortedPages },
    value: median,
    floorConnections: 1,
    needsIndex: true,
    targets: both(atMost(0.1, 'floor')),
  },
  {
    name: 'aggregate',
    description: 'the sum and the average of two fields by category, of half of all records; the floor uses GROUP BY',
    unit: 'ms',
    streams: { measured: streams.aggregates },
    value: median,
    floorConnections: 1,
    needsIndex: true,
    hasOtherShape: true,
    targets: { sqlite: [atMost(0.05, 'floor')], postgres: [atMost(0.1, 'floor')] },
  },
  {
    name: 'facets',
    description: 'five facets at once of half of all records',
    unit: 'ms',
    streams: { measured: streams.fiveFacets },
    value: median,
    needsIndex: true,
    targets: both(under(25, 'ms')),
  },
  {
    name: 'next-pages',
    description: 'further pages of such a list; the floor reads the page without counting',
    unit: 'req/s',
    streams: { measured: streams.nextPages },
    value: rate,
    floorConnections: 1,
    hasBaseline: true,
    targets: both(atLeast(0.8, 'floor')),
  },
  {
    name: 'deep-page',
    description: 'pages of 10 nine tenths into the list, compared with pages at its start',
    unit: 'ms',
    streams: { measured: streams.deepPages, reference: streams.firstPages },
    reference: 'start',
    value: median,
    targets: both(atMost(1.5, 'start')),
  },
  {
    name: 'walk',
    description: 'all pages of 1000 in order, compared with one streamed export',
    unit: 's',
    streams: { measured: streams.walk, reference: streams.wholeExport },
    reference: 'export',
    value: (load) => load.seconds,
    maxRounds: 1,
    targets: both(steadyWalk, atMost(1.5, 'export')),
  },
  {
    name: 'contains-rare',
    description: 'a new search for 7 letters that about 20 names contain; the floor does a full scan',
    unit: 'ms',
    streams: { measured: streams.rareSearches },
    value: median,
    floorConnections: 1,
    targets: both(atMost(0.05, 'floor')),
  },
  {
    name: 'contains-frequent',
    description:
      'a new search for a text that 3 % of the names contain; the floor does a full scan to count, and reads the page',
    unit: 'ms',
    streams: { measured: streams.frequentSearches },
    value: median,
    floorConnections: 1,
    targets: both(atMost(1, 'floor')),
  },
  {
    name: 'contains-tenth',
    description: 'a new search for a text that about a tenth of the names contain; the floor does a full scan',
    unit: 'ms',
    streams: { measured: streams.veryFrequentSearches },
    value: median,
    floorConnections: 1,
    needsIndex: true,
    targets: both(atMost(1, 'floor')),
  },
  {
    name: 'search',
    description:
      'a new search for two words, each in 6 or 7 % of the names; the floor does a full scan of names and codes',
    unit: 'ms',
    streams: { measured: streams.wordSearches },
    value: median,
    floorConnections: 1,
    needsIndex: true,
    targets: both(atMost(0.1, 'floor')),
  },
  {
    name: 'creates',
    description:
      'partners created over 16 connections, each durable before it is acknowledged; the floor has 1 connection',
    unit: 'req/s',
    streams: { measured: streams.creates },
    value: rate,
    connections: 16,
    floorConnections: 1,
    // The most that sharing a commit can gain, with no other work to do.
    secondFloor: { sqlite: { name: 'shared', connections: 16, usesStockbookTables: true } },
    database: 'scratch',
    targets: { sqlite: [atLeast(0.7, 'shared')], postgres: [atLeast(2, 'floor')] },
  },
  {
    name: 'import-1',
    description: 'imports of one new partner over 16 connections, compared with creates',
    unit: 'req/s',
    streams: { measured: streams.importsOf1, reference: streams.creates },
    reference: 'create',
    value: rate,
    connections: 16,
    database: 'scratch',
    targets: both(atLeast(0.5, 'create')),
  },
  {
    name: 'import-100',
    description: 'imports of 100 new partners over one connection, compared with creates',
    unit: 'ms',
    streams: { measured: streams.importsOf100, reference: streams.creates },
    reference: 'create',
    value: median,
    database: 'scratch',
    targets: both(atMost(5, 'create')),
  },
  {
    name: 'import-10000',
    description: 'imports of 10,000 new partners over one connection',
    unit: 'rows/s',
    streams: { measured: streams.importsOf10000 },
    value: (load) => (load.requests * 10_000) / load.seconds,
    database: 'scratch',
    targets: both(over(20_000, 'rows/s')),
  },
  {
    name: 'import-reader',
    description:
      'p99 of one record while another client imports 10,000 partners at a time, compared with p99 on an idle server',
    unit: 'ms',
    streams: { measured: streams.firstPartner, reference: streams.firstPartner, noise: streams.importsOf10000 },
    reference: 'alone',
    value: (load) => load.p99,
    database: 'scratch',
    targets: both(atMost(20, 'alone')),
  },
  {
    name: 'import-http',
    description: 'up to 100,000 rows as CSV over HTTP into an empty account, compared with stockbook import',
    unit: 's',
    maxRounds: 3,
    targets: both(atMost(1.1, 'command')),
  },
  {
    name: 'neighbour',
    description: 'p99 of one record while another client runs cold full scans, compared with p99 on an idle server',
    unit: 'ms',
    streams: { measured: streams.records, reference: streams.records, noise: streams.coldScans },
    reference: 'alone',
    value: (load) => load.p99,
    targets: both(atMost(5, 'alone')),
  },
  {
    name: 'bully',
    description:
      'p99 of a record, a list and a cold filter while another account attacks, compared with p99 without it',
    unit: 'ms',
    lanes: { record: streams.records, list: streams.variedLists, filter: streams.coldTotals },
    attacks,
    value: (load) => load.p99,
    targets: both(...duringAttacks('record', 5), ...duringAttacks('list', 5), ...duringAttacks('filter')),
  },
  {
    name: 'accounts',
    description: 'lists and records of 100 accounts in turn, compared with one account',
    unit: 'req/s',
    streams: { measured: streams.hundredAccounts, reference: streams.oneAccount },
    reference: 'one',
    value: rate,
    connections: 16,
    targets: both(atLeast(0.8, 'one')),
  },
  {
    name: 'many-accounts',
    description: 'new filters of 10,000 accounts with 100 products each in turn, compared with 100 of them',
    unit: 'req/s',
    streams: { measured: streams.tenThousandAccounts, reference: streams.hundredOfThem },
    reference: 'hundred',
    value: rate,
    connections: 16,
    database: 'many accounts',
    targets: both(atLeast(0.9, 'hundred')),
  },
  {
    name: 'changes',
    description: 'pages of 501 to 1000 changes, compared with lists of as many records that are not cached',
    unit: 'req/s',
    streams: { measured: streams.changePages, reference: streams.listPages },
    reference: 'list',
    value: rate,
    connections: 4,
    targets: both(atLeast(0.8, 'list')),
  },
  {
    name: 'wake',
    description:
      'from sending a create to the response of a request that waits for it, on the same node and on another one',
    unit: 'ms',
    isWaiting: true,
    targets: both(under(500, 'ms'), withTwoNodes(500)),
  },
  {
    name: 'waiting-cpu',
    description: 'CPU time per second while 1,000 long polls and 1,000 event streams wait and nothing changes',
    unit: 'ms',
    isWaiting: true,
    maxRounds: 1,
    targets: both(under(50, 'ms')),
  },
  {
    name: 'waiting-memory',
    description: 'anonymous memory that the same clients take',
    unit: 'MB',
    isWaiting: true,
    maxRounds: 1,
    targets: both(under(150, 'MB')),
  },
  {
    name: 'export',
    description: 'all products as one NDJSON stream',
    unit: 'rows/s',
    streams: { measured: streams.wholeExport },
    value: (load, rows) => rows / load.seconds,
    floorConnections: 1,
    maxRounds: 1,
    targets: both(atLeast(0.7, 'floor')),
  },
  {
    name: 'import',
    description:
      'the CSV file into an empty account; the floor is a minimal loader into the same table with the same indexes',
    unit: 's',
    maxRounds: 1,
    targets: both(atMost(1.1, 'floor')),
  },
  {
    name: 'start',
    description: 'from starting the program to its first response',
    unit: 'ms',
    targets: both(under(1000, 'ms')),
  },
  {
    name: 'memory',
    description: 'anonymous memory (RssAnon) of the largest server process after the cases before it',
    unit: 'MB',
    maxRounds: 1,
    targets: both(under(200, 'MB')),
  },
  {
    name: 'idle-memory',
    description: 'anonymous memory of a server that has served one list',
    unit: 'MB',
    maxRounds: 1,
    targets: both(under(150, 'MB')),
  },
  {
    name: 'steps',
    description: 'the longest step of the serving thread, while clients send what takes longest',
    unit: 'ms',
    maxRounds: 1,
    targets: both(under(10, 'ms')),
  },
  {
    name: 'index-memory',
    description: 'anonymous memory that the index in memory adds, for each record',
    unit: 'bytes',
    maxRounds: 1,
    targets: both(under(200, 'bytes')),
  },
  {
    name: 'disk',
    description: 'what the database takes on disk for each record, with its indexes',
    unit: 'bytes',
    maxRounds: 1,
    targets: both(under(1_500, 'bytes')),
  },
];

/** What docs/sizing.md starts from. */
export const SIZING_CASES: readonly string[] = [
  ...['same-list', 'varied-lists', 'record', 'cold-filters', 'creates', 'export', 'import', 'start'],
  ...['idle-memory', 'index-memory', 'disk'],
];

/** Whether the number of records matters. */
export function grows({ attacks, isWaiting, database, name }: Case): boolean {
  return attacks === undefined && !isWaiting && database === undefined && name !== 'start';
}

export function caseNamed(name: string): Case | undefined {
  return cases.find((one) => one.name === name);
}
