/** Who takes part in a case, and how each is measured in a round. */

import type { AddressInfo } from 'node:net';
import type { Case, OtherFloor, Sample, StreamName } from './cases.ts';
import { loaders, productsFile, type StockbookDatabase, scratchDatabase } from './databases.ts';
import type { Engine } from './engines.ts';
import type { LoadOrder, LoadResult, Order } from './load.ts';
import { message, type Running, startOwn } from './processes.ts';
import type { Ask } from './requests.ts';
import { askOnce, largestMemory, type Server, serve } from './stockbook.ts';

/** A Stockbook that is measured: this checkout's, or that of another commit. */
export interface Site {
  readonly name: string;
  readonly program: string;
  readonly database: StockbookDatabase;
  readonly server: Server;
}

/** What the cases of one engine and one size are run with. */
export interface Stage {
  readonly engine: Engine;
  readonly rows: number;
  readonly seconds: number;
  /** The first is this checkout's. */
  readonly sites: readonly Site[];
  readonly floor: string;
  /** Two processes that send requests: the second is the noise. */
  readonly loads: readonly [Running, Running];
}

export interface Contender {
  readonly name: string;
  readonly measure: (round: number) => Promise<Sample>;
}

export interface Contenders {
  readonly all: readonly Contender[];
  end(): Promise<void>;
}

/** A round that no case is measured in: what is asked in it is asked once, to look at the answer. */
const TRIAL = 999;

/** The longest that a case without a time of its own may take, in seconds. */
const LONGEST = 900;

export async function contendersOf(one: Case, stage: Stage): Promise<Contenders> {
  if (one.streams === undefined) return { all: ownMeasures(one.name, stage), end: async () => undefined };
  const ends: (() => Promise<void>)[] = [];
  const all: Contender[] = [];
  const add = (name: string, port: number, keys: LoadOrder['keys'], stream: StreamName, connections: number) =>
    all.push({ name, measure: (round) => measureLoad(one, stage, { round, port, keys, stream, connections }) });
  const { connections = 1 } = one;
  for (const site of stage.sites) {
    const { server, keys, end } = one.isWriting ? await scratchSite(site, stage.engine) : ownSite(site);
    ends.push(end);
    add(site.name, server.port, keys, 'asked', connections);
    if (one.beside !== undefined && site === stage.sites[0]) add(one.beside, server.port, keys, 'beside', connections);
  }
  const [site] = stage.sites;
  const ask = one.streams.asked?.(TRIAL, stage.rows).ask(0);
  for (const { name, program, connections, onOwnTables } of floorsOf(one, stage.engine)) {
    const scratch = onOwnTables && site ? await scratchDatabase(stage.engine, site.program) : undefined;
    const floor = startOwn(`floor/${stage.engine.name}.ts`, [scratch?.url ?? stage.floor, program]);
    ends.push(() => floor.end().then(scratch?.drop));
    const { port } = await message<AddressInfo>(floor.child);
    if (ask?.body === undefined && ask?.accept === undefined) await checkSame(one.name, ask, site, port);
    add(name, port, undefined, 'asked', connections);
  }
  if (one.bare && ask && site) {
    const bare = startOwn('bare.ts', []);
    ends.push(bare.end);
    bare.child.send(await askOnce(site.server.port, ask.path, site.database.keys[0]));
    add('bare', (await message<AddressInfo>(bare.child)).port, undefined, 'asked', connections);
  }
  return { all, end: async () => void (await Promise.all(ends.map((end) => end()))) };
}

/** With the names under which the floor's program knows them. */
function floorsOf(
  { name, floor: connections, otherFloor }: Case,
  engine: Engine,
): readonly (OtherFloor & { readonly program: string; readonly connections: number })[] {
  if (connections === undefined) return [];
  const other = otherFloor?.[engine.name];
  return [
    { name: 'floor', program: name, connections },
    ...(other ? [{ connections, ...other, program: `${name}-${other.name}` }] : []),
  ];
}

function ownSite({ server, database }: Site) {
  return { server, keys: database.keys, end: async () => undefined };
}

async function scratchSite({ program }: Site, engine: Engine) {
  const { url, keys, drop } = await scratchDatabase(engine, program);
  const server = await serve(program, url);
  const end = async () => {
    await server.end();
    await drop();
  };
  return { server, keys, end };
}

async function measureLoad(
  one: Case,
  { rows, seconds, loads }: Stage,
  order: Pick<LoadOrder, 'round' | 'port' | 'keys' | 'stream' | 'connections'>,
): Promise<Sample> {
  const [main, other] = loads;
  const whole: LoadOrder = { ...order, kind: 'load', name: one.name, rows, seconds: one.rounds ? LONGEST : seconds };
  const isNoisy = one.streams?.noise !== undefined && order.stream === 'asked';
  const noise = isNoisy ? send(other, { ...whole, stream: 'noise', connections: 1, seconds: LONGEST }) : undefined;
  const stats = await send(main, whole);
  if (noise !== undefined) {
    other.child.send({ kind: 'stop' } satisfies Order);
    await noise;
  }
  return { value: one.value?.(stats, rows) ?? stats.rate, load: stats };
}

async function send({ child }: Running, order: Order) {
  const answer = message<LoadResult>(child);
  child.send(order);
  const result = await answer;
  if ('error' in result) throw new Error(result.error);
  return result.stats;
}

interface Body {
  readonly data: { readonly id: number } | readonly { readonly id: number }[];
  readonly meta?: { readonly total?: number };
}

/** A floor that answers something else would measure nothing. */
async function checkSame(name: string, ask: Ask | undefined, site: Site | undefined, port: number): Promise<void> {
  if (ask === undefined || site === undefined) throw new Error(`${name} asks nothing`);
  const read = ({ body }: { body: string }): Body => JSON.parse(Buffer.from(body, 'base64').toString());
  const ours = read(await askOnce(site.server.port, ask.path, site.database.keys[0]));
  const floor = read(await askOnce(port, `/${(ask.values ?? []).map(encodeURIComponent).join('/')}`));
  const idsOf = ({ data }: Body) => JSON.stringify(Array.isArray(data) ? data.map(({ id }) => id) : data);
  const isSame = Array.isArray(ours.data)
    ? idsOf(ours) === idsOf(floor) && (floor.meta?.total ?? ours.meta?.total) === ours.meta?.total
    : 'id' in ours.data && 'id' in floor.data && ours.data.id === floor.data.id;
  if (!isSame)
    throw new Error(`${name}: the floor answers ${ask.path} with ${idsOf(floor)}, Stockbook with ${idsOf(ours)}`);
}

/** The cases that are not about requests to a running server. */
function ownMeasures(name: string, { engine, rows, sites }: Stage): readonly Contender[] {
  switch (name) {
    case 'start':
      return sites.map(({ name, program, database }) => ({
        name,
        async measure() {
          const begun = performance.now();
          const server = await serve(program, database.url);
          await askOnce(server.port, '/api/v1/inventory/product', database.keys[0]);
          const value = performance.now() - begun;
          await server.end();
          return { value };
        },
      }));
    case 'memory':
      return sites.map(({ name, server }) => ({
        name,
        measure: async () => ({ value: largestMemory(server.child.pid ?? 0) }),
      }));
    case 'import': {
      const timed = async (program: string, load: (url: string, file: string) => Promise<unknown>) => {
        const file = await productsFile(rows);
        const { url, drop } = await scratchDatabase(engine, program);
        const begun = performance.now();
        await load(url, file);
        const value = (performance.now() - begun) / 1_000;
        await drop();
        return { value };
      };
      const ours = sites.map(({ name, program }) => ({
        name,
        measure: () => timed(program, (url, file) => loaders.stockbook(program, url, file)),
      }));
      const floor = () => timed(sites[0]?.program ?? '', (url, file) => loaders.floor(engine, url, file));
      return [...ours, { name: 'floor', measure: floor }];
    }
    default:
      throw new Error(`nothing measures ${name}`);
  }
}
