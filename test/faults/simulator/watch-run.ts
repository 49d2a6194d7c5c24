/** `stockbook watch` over HTTP, on a folder into which files are exported all the time. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog } from '../../../src/cli/event-log.ts';
import { HttpDestination } from '../../../src/cli/watch/http-destination.ts';
import { WatchedFolder } from '../../../src/cli/watch/watched-folder.ts';
import { Watcher } from '../../../src/cli/watch/watcher.ts';
import type { Random } from '../../support/random.ts';
import { Connector, type Start } from './connector.ts';
import { STOCKBOOK_ERRORS } from './errors.ts';
import { SimulatedFolder } from './folder.ts';
import { SimulatedNetwork } from './network.ts';
import { checkPace } from './pace.ts';
import { openSimulatedService, type SimulatedAccount, type SimulatedService } from './service.ts';
import type { Simulated, Simulation } from './simulate.ts';
import { DAY, MINUTE, SECOND, SimulatedTime } from './time.ts';

/** How long a file must not have changed, in milliseconds. */
const SETTLE = 5 * SECOND;

/** What the watcher takes at most to recover from a failure of the network, and to import what is there, in milliseconds. */
const RECOVERY = 15 * MINUTE;

class SilentLog extends EventLog {
  override event(): void {}
  override warning(): void {}
}

export class WatchRun implements Simulation {
  readonly #random: Random;
  readonly #time: SimulatedTime;
  readonly #network: SimulatedNetwork;
  readonly #service: SimulatedService;
  readonly #account: SimulatedAccount;
  readonly #parent: string;
  readonly #folder: SimulatedFolder;
  readonly #connector: Connector;

  private constructor(random: Random, time: SimulatedTime, service: SimulatedService, account: SimulatedAccount) {
    this.#random = random;
    this.#time = time;
    this.#service = service;
    this.#account = account;
    this.#network = new SimulatedNetwork(time, random);
    this.#parent = mkdtempSync(join(tmpdir(), 'stockbook-simulated-'));
    this.#folder = new SimulatedFolder(join(this.#parent, 'in'), time, random);
    this.#connector = new Connector(
      time,
      (start) => this.#watch(start),
      () => false,
    );
  }

  static async open(random: Random): Promise<WatchRun> {
    const time = new SimulatedTime(random);
    const service = await openSimulatedService(time);
    return new WatchRun(random, time, service, await service.addAccount('watched'));
  }

  async run(days: number): Promise<Simulated> {
    const began = this.#time.now;
    while (this.#time.now < began + days * DAY) {
      await this.#busy();
      this.#network.recover();
      this.#connector.start();
      await this.#time.pass(RECOVERY, () => this.#folder.waiting().length === 0);
      // What was sent late arrives, and everything is looked at once more.
      await this.#time.pass(5 * MINUTE);
      await this.#check();
      await this.#connector.stop();
      await this.#time.pass(this.#random.below(3 * DAY));
    }
    return { days: (this.#time.now - began) / DAY, starts: this.#connector.starts, faults: this.#network.counts };
  }

  async close(): Promise<void> {
    this.#network.recover();
    await this.#connector.close();
    await this.#service.close();
    rmSync(this.#parent, { recursive: true });
  }

  async #busy(): Promise<void> {
    const random = this.#random;
    const { clock } = this.#time;
    this.#network.failing = random.pick([0, 0.1, 0.3]);
    for (let acts = random.between(4, 15); acts > 0; acts -= 1) {
      const happens = random.next();
      if (happens < 0.7) await this.#folder.export();
      else if (happens < 0.8) this.#network.takeDown('stockbook', random.below(2 * MINUTE));
      else if (happens < 0.85) clock.set(clock.wall() + random.between(-30 * MINUTE, 30 * MINUTE));
      else if (random.chance(0.5)) this.#connector.kill();
      else await this.#connector.stop();
      if (random.chance(0.7)) this.#connector.start();
      await this.#time.pass(random.below(30 * SECOND));
    }
  }

  async #check(): Promise<void> {
    if (this.#connector.failure !== undefined)
      throw new Error('the watcher has ended', { cause: this.#connector.failure });
    const { partners, prices, counts } = this.#folder;
    const [name] = this.#folder.waiting();
    if (name !== undefined) throw new Error(`${name} is still in the folder`);
    for (const place of ['done', 'failed'] as const)
      if (this.#folder.moved(place).length !== counts[place])
        throw new Error(`${this.#folder.moved(place).length} files are in ${place}/, not ${counts[place]}`);
    const found = new Map<string, number>();
    for (const row of await this.#rows('resources/partner', 'name'))
      found.set(String(row['name']), (found.get(String(row['name'])) ?? 0) + 1);
    compare('partners of the name', partners, found);
    const priced = (await this.#rows('inventory/product', 'default_code,list_price')).map(
      (row) => [String(row['default_code']), Number(row['list_price'])] as const,
    );
    if (new Set(priced.map(([code]) => code)).size < priced.length) throw new Error('a product is there twice');
    compare('as the price of', prices, new Map(priced));
    checkPace(this.#network.sent, 'stockbook');
  }

  async #rows(path: string, fields: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const all: Record<string, unknown>[] = [];
    for (let page = 1; ; page += 1) {
      const { data } = await this.#account.read<{ data: Record<string, unknown>[] }>(
        `${path}?limit=1000&page=${page}&fields=${fields}`,
      );
      all.push(...data);
      if (data.length < 1_000) return all;
    }
  }

  #watch({ instance, signal, isDead }: Start): Promise<void> {
    const time = this.#time;
    const clock = time.clockOfWorker(isDead);
    const send = this.#network.fetchTo(
      { name: 'stockbook', host: this.#service.host, errors: STOCKBOOK_ERRORS },
      instance,
      isDead,
    );
    const destination = new HttpDestination({
      url: 'http://stockbook',
      key: this.#account.key,
      onKeyExpiring: () => {},
      clock,
      fetch: (input, init) => time.waiting(() => send(input, init)),
    });
    const watcher = new Watcher({
      folder: new WatchedFolder(this.#folder.path, clock),
      destination,
      account: this.#account.account.name,
      sourcePrefix: 'watch',
      settle: SETTLE,
      log: new SilentLog(),
      signal,
      clock,
    });
    return time.working(() => watcher.run());
  }
}

function compare(what: string, expected: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): void {
  for (const key of new Set([...expected.keys(), ...found.keys()]))
    if (expected.get(key) !== found.get(key))
      throw new Error(`there are ${found.get(key) ?? 'no'} ${what} ${key}, not ${expected.get(key) ?? 'any'}`);
}
