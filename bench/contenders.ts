/** The contenders of a case and how each is measured in a round. */

import { setTimeout } from 'node:timers/promises';
import type { Case, Sample, SecondFloor } from './cases.ts';
import type { Contender, Contenders, Instance, TestBed } from './contender.ts';
import {
  loaders,
  manyAccountsDatabase,
  productsFile,
  recordCount,
  type StockbookDatabase,
  scratchDatabase,
} from './databases.ts';
import type { Engine } from './engines.ts';
import type { LoadCommand, LoadJob } from './load.ts';
import { load } from './loads.ts';
import { listeningPort, type Running, startScript } from './processes.ts';
import { type BenchRequest, coldTotals } from './requests.ts';
import { longestStep } from './steps.ts';
import { cpuTime, get, largestMemory, postFile, type Server, serve, totalMemory } from './stockbook.ts';
import { contendersUnderAttack } from './under-attack.ts';
import { waitingContenders } from './waiting.ts';

/** The round of the request that is sent once to compare responses; no measured round has this number. */
const CHECK_ROUND = 999;

/** How many rows are imported over HTTP. Both sides take time in proportion to it, and `import` has the rest. */
const HTTP_ROWS = 100_000;

/** The time limit in seconds of a case that runs until its requests are exhausted. */
const TIME_LIMIT = 900;

export async function contendersOf(one: Case, bed: TestBed): Promise<Contenders> {
  if (one.attacks !== undefined) return contendersUnderAttack(one, one.attacks, bed);
  if (one.isWaiting) return waitingContenders(one, bed);
  if (one.streams === undefined) return { all: measuresWithoutLoad(one.name, bed), stop: async () => undefined };
  const stops: (() => Promise<void>)[] = [];
  const all: Contender[] = [];
  const add = (name: string, server: Running, load: Omit<Measurement, 'round'>) =>
    all.push({
      name,
      measure: async (round) => ({ [name]: await measureLoad(one, bed, server, { ...load, round }) }),
    });
  const { connections = 1 } = one;
  const [ours] = bed.instances;
  for (const instance of bed.instances) {
    const { server, keys, stop } = await serverFor(one, instance, bed.engine);
    stops.push(stop);
    const { port } = server;
    add(instance.name, server, { port, keys, stream: 'measured', connections });
    if (one.reference !== undefined && instance === ours)
      add(one.reference, server, { port, keys, stream: 'reference', connections });
  }
  if (one.needsIndex) for (const instance of bed.instances) await waitForIndex(instance, bed.rows);
  const request = one.streams.measured?.(CHECK_ROUND, bed.rows).request(0);
  for (const { name, script, connections, usesStockbookTables, database } of floorsOf(one, bed)) {
    const scratch = usesStockbookTables ? await scratchDatabase(bed.engine, ours.program) : undefined;
    const floor = startScript(`floor/${bed.engine.name}.ts`, [scratch?.url ?? database, script]);
    stops.push(() => floor.stop().then(scratch?.drop));
    const port = await listeningPort(floor);
    const isComparable = request?.body === undefined && request?.accept === undefined && !one.hasOtherShape;
    if (isComparable) await checkSame(one.name, request, ours, port);
    add(name, floor, { port, keys: undefined, stream: 'measured', connections });
  }
  if (one.hasBaseline && request && bed.floor !== undefined) {
    const baseline = startScript('baseline.ts', []);
    stops.push(baseline.stop);
    baseline.child.send(await get(ours.server.port, request.path, ours.database.keys[0]));
    const port = await listeningPort(baseline);
    add('baseline', baseline, { port, keys: undefined, stream: 'measured', connections });
  }
  return { all, stop: async () => void (await Promise.all(stops.map((stop) => stop()))) };
}

/** The floors of a case, each with the name that its script knows it by. */
function floorsOf(
  { name, floorConnections: connections, secondFloor }: Case,
  { engine, floor: database }: TestBed,
): readonly (SecondFloor & { readonly script: string; readonly connections: number; readonly database: string })[] {
  if (connections === undefined || database === undefined) return [];
  const second = secondFloor?.[engine.name];
  return [
    { name: 'floor', script: name, connections, database },
    ...(second ? [{ connections, ...second, database, script: `${name}-${second.name}` }] : []),
  ];
}

/** The server that all cases share, or one on the database that the case needs. */
async function serverFor(one: Case, { program, server: shared, database }: Instance, engine: Engine) {
  if (one.database === undefined) return { server: shared, keys: database.keys, stop: async () => undefined };
  const { url, keys, drop } =
    one.database === 'scratch'
      ? await scratchDatabase(engine, program)
      : { ...(await manyAccountsDatabase(engine, program)), drop: undefined };
  const server = await serve(program, url);
  const stop = async () => {
    await server.stop();
    await drop?.();
  };
  return { server, keys, stop };
}

type Measurement = Pick<LoadJob, 'round' | 'port' | 'keys' | 'stream' | 'connections'>;

async function measureLoad(
  one: Case,
  { rows, seconds, loads }: TestBed,
  server: Running,
  measurement: Measurement,
): Promise<Sample> {
  const [main, other] = loads;
  const limit = one.maxRounds === undefined ? seconds : TIME_LIMIT;
  const job: LoadJob = { ...measurement, kind: 'load', name: one.name, rows, seconds: limit };
  const isNoisy = one.streams?.noise !== undefined && job.stream === 'measured';
  const noise = isNoisy ? load(other, { ...job, stream: 'noise', connections: 1, seconds: TIME_LIMIT }) : undefined;
  const pid = server.child.pid ?? 0;
  const cpuBefore = cpuTime(pid);
  const stats = await load(main, job);
  const cpu = ((cpuTime(pid) - cpuBefore) * 1_000) / stats.requests;
  if (noise !== undefined) {
    other.child.send({ kind: 'stop' } satisfies LoadCommand);
    await noise;
  }
  return { value: one.value?.(stats, rows) ?? stats.rate, load: stats, ...(!isNoisy && { cpu }) };
}

/** How long an index may take to be built, in milliseconds. A program without indexes builds none in this time. */
const buildTime = (rows: number) => Math.max(60_000, rows * 0.06);

const waitedFor = new WeakSet<Instance>();

/** Sends new filters until they take a fraction of what the slowest one took. */
async function waitForIndex(instance: Instance, rows: number): Promise<void> {
  if (waitedFor.has(instance)) return;
  waitedFor.add(instance);
  const stream = coldTotals(CHECK_ROUND - 1, 0);
  const began = performance.now();
  let slowest = 0;
  for (let n = 0; performance.now() - began < buildTime(rows); n += 1) {
    const sent = performance.now();
    await get(instance.server.port, stream.request(n)?.path ?? '', instance.database.keys[0]);
    const taken = performance.now() - sent;
    slowest = Math.max(slowest, taken);
    if (n > 2 && taken < slowest / 6) return;
    await setTimeout(100);
  }
}

interface Body {
  readonly data: { readonly id: number } | readonly { readonly id: number }[];
  readonly meta?: { readonly total?: number };
}

/** Throws if the floor and Stockbook disagree: their speed could not be compared. */
async function checkSame(
  name: string,
  request: BenchRequest | undefined,
  { server, database }: Instance,
  floorPort: number,
): Promise<void> {
  if (request === undefined) throw new Error(`${name} has no requests`);
  const read = ({ body }: { body: string }): Body => JSON.parse(Buffer.from(body, 'base64').toString());
  const ours = read(await get(server.port, request.path, database.keys[0]));
  const floor = read(await get(floorPort, `/${(request.values ?? []).map(encodeURIComponent).join('/')}`));
  const idsOf = ({ data }: Body) => JSON.stringify(Array.isArray(data) ? data.map(({ id }) => id) : data);
  const isSame = Array.isArray(ours.data)
    ? idsOf(ours) === idsOf(floor) && (floor.meta?.total ?? ours.meta?.total) === ours.meta?.total
    : 'id' in ours.data && 'id' in floor.data && ours.data.id === floor.data.id;
  if (isSame) return;
  const shown = (body: Body) => `${idsOf(body)} (total ${body.meta?.total ?? 'unknown'})`;
  throw new Error(`${name}: ${request.path} returned ${shown(ours)} from Stockbook and ${shown(floor)} from the floor`);
}

/** Measures a server of its own, which has served one list. */
async function onNewServer(
  program: string,
  { url, keys }: StockbookDatabase,
  measure: (pid: number, server: Server) => number | Promise<number>,
): Promise<number> {
  const server = await serve(program, url);
  await get(server.port, '/api/v1/inventory/product', keys[0]);
  const value = await measure(server.child.pid ?? 0, server);
  await server.stop();
  return value;
}

/** The contenders of the cases that send no load to a running server. */
function measuresWithoutLoad(
  name: string,
  { engine, rows, instances, floor: floorUrl }: TestBed,
): readonly Contender[] {
  switch (name) {
    case 'start':
      return instances.map(({ name, program, database }) => ({
        name,
        async measure() {
          const began = performance.now();
          const server = await serve(program, database.url);
          await get(server.port, '/api/v1/inventory/product', database.keys[0]);
          const value = performance.now() - began;
          await server.stop();
          return { [name]: { value } };
        },
      }));
    case 'memory':
      return instances.map(({ name, server }) => ({
        name,
        measure: async () => ({ [name]: { value: largestMemory(server.child.pid ?? 0) } }),
      }));
    case 'idle-memory':
      return instances.map(({ name, program, database }) => ({
        name,
        measure: async () => ({ [name]: { value: await onNewServer(program, database, totalMemory) } }),
      }));
    case 'steps':
      return instances.map(({ name, program, database: { url, keys } }) => ({
        name,
        measure: async () => ({ [name]: { value: await longestStep(program, url, keys[0]) } }),
      }));
    case 'index-memory':
      return instances.map((instance) => ({
        name: instance.name,
        async measure() {
          const { program, database } = instance;
          const value = await onNewServer(program, database, async (pid, server) => {
            const before = totalMemory(pid);
            await waitForIndex({ ...instance, server }, rows);
            return ((totalMemory(pid) - before) * 1_024 * 1_024) / rows;
          });
          return { [instance.name]: { value } };
        },
      }));
    case 'disk':
      return instances.map(({ name, database }) => ({
        name,
        measure: async () => ({ [name]: { value: (await engine.size(database.name)) / recordCount(rows) } }),
      }));
    case 'import-http': {
      const [{ name, program }] = instances;
      const file = () => productsFile(Math.min(rows, HTTP_ROWS));
      const timed = async (load: (scratch: StockbookDatabase) => Promise<number>) => {
        const scratch = await scratchDatabase(engine, program);
        const value = await load(scratch);
        await scratch.drop();
        return { value };
      };
      const overHttp = async ({ url, keys }: StockbookDatabase) => {
        const server = await serve(program, url);
        const began = performance.now();
        await postFile(server.port, '/api/v1/inventory/product/import', keys[0], await file());
        const seconds = (performance.now() - began) / 1_000;
        await server.stop();
        return seconds;
      };
      const byCommand = async ({ url }: StockbookDatabase) => {
        const began = performance.now();
        await loaders.stockbook(program, url, await file());
        return (performance.now() - began) / 1_000;
      };
      return [
        { name, measure: async () => ({ [name]: await timed(overHttp) }) },
        { name: 'command', measure: async () => ({ command: await timed(byCommand) }) },
      ];
    }
    case 'import': {
      const timed = async (program: string, load: (url: string, file: string) => Promise<unknown>) => {
        const file = await productsFile(rows);
        const { url, drop } = await scratchDatabase(engine, program);
        const began = performance.now();
        await load(url, file);
        const value = (performance.now() - began) / 1_000;
        await drop();
        return { value };
      };
      const stockbooks = instances.map(({ name, program }) => ({
        name,
        measure: async () => ({
          [name]: await timed(program, (url, file) => loaders.stockbook(program, url, file)),
        }),
      }));
      const floor = async () => ({
        floor: await timed(instances[0].program, (url, file) => loaders.floor(engine, url, file)),
      });
      return [...stockbooks, ...(floorUrl === undefined ? [] : [{ name: 'floor', measure: floor }])];
    }
    default:
      throw new Error(`${name} has neither streams nor a measurement`);
  }
}
