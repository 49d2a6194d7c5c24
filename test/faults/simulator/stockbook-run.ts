/** The mirror of an account of another Stockbook. */

import { StockbookError } from '../../../src/client/index.ts';
import { mirrorForever } from '../../../src/connectors/stockbook/mirror-stockbook.ts';
import type { Random } from '../../support/random.ts';
import { Connector, type Start } from './connector.ts';
import { STOCKBOOK_ERRORS } from './errors.ts';
import { SimulatedNetwork } from './network.ts';
import { openSimulatedService, type SimulatedAccount, type SimulatedService } from './service.ts';
import type { Simulated, Simulation } from './simulate.ts';
import { DAY, MINUTE, SECOND, SimulatedTime } from './time.ts';

const PATHS = { product: 'inventory/product', partner: 'resources/partner', company: 'resources/company' } as const;

const NAMES = ['product', 'partner', 'company'] as const;

/** How many ids people use. */
const IDS = 40;

/** What the mirror takes at most to recover from a failure of the network, in milliseconds. */
const RECOVERY = 12 * MINUTE;

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

export class StockbookRun implements Simulation {
  readonly #random: Random;
  readonly #time: SimulatedTime;
  readonly #network: SimulatedNetwork;
  readonly #service: SimulatedService;
  readonly #origin: SimulatedAccount;
  readonly #copy: SimulatedAccount;
  readonly #connector: Connector;

  private constructor(
    random: Random,
    time: SimulatedTime,
    service: SimulatedService,
    accounts: readonly [SimulatedAccount, SimulatedAccount],
  ) {
    this.#random = random;
    this.#time = time;
    this.#service = service;
    [this.#origin, this.#copy] = accounts;
    this.#network = new SimulatedNetwork(time, random);
    // It ends if one of the two has a bug.
    this.#connector = new Connector(
      time,
      (start) => this.#mirror(start),
      (error) => error instanceof StockbookError && error.status === 500,
    );
  }

  static async open(random: Random): Promise<StockbookRun> {
    const time = new SimulatedTime(random);
    const service = await openSimulatedService(time);
    return new StockbookRun(random, time, service, [
      await service.addAccount('origin'),
      await service.addAccount('copy'),
    ]);
  }

  async run(days: number): Promise<Simulated> {
    const began = this.#time.now;
    while (this.#time.now < began + days * DAY) {
      await this.#busy();
      this.#network.recover();
      this.#connector.start();
      await this.#time.pass(RECOVERY);
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
  }

  async #busy(): Promise<void> {
    const random = this.#random;
    const { clock } = this.#time;
    this.#network.failing = random.pick([0, 0.1, 0.3]);
    for (let acts = random.between(5, 30); acts > 0; acts -= 1) {
      const happens = random.next();
      if (happens < 0.75) await this.#write();
      else if (happens < 0.83) this.#network.takeDown(random.pick(['origin', 'copy']), random.below(3 * MINUTE));
      else if (happens < 0.88) clock.set(clock.wall() + random.between(-30 * MINUTE, 30 * MINUTE));
      else if (random.chance(0.5)) this.#connector.kill();
      else await this.#connector.stop();
      if (random.chance(0.7)) this.#connector.start();
      await this.#time.pass(random.below(random.pick([SECOND, MINUTE])));
    }
  }

  /** Somebody imports a few records, or removes some. */
  async #write(): Promise<void> {
    const random = this.#random;
    const name = random.pick(NAMES);
    const ids = new Set(Array.from({ length: random.between(1, 6) }, () => random.between(1, IDS)));
    const lines = [...ids].map((id) => {
      if (random.chance(0.25)) return { id, removed: true };
      const text = `${random.pick(['Oak', 'Elm', 'Ash'])} ${random.below(1_000)}`;
      return { id, name: text, ...(name === 'company' && { branch_user: text }) };
    });
    await this.#origin.write(`${PATHS[name]}/import`, lines);
  }

  async #check(): Promise<void> {
    if (this.#connector.failure !== undefined)
      throw new Error('the mirror has ended', { cause: this.#connector.failure });
    const sources = await this.#copy.read<{ data: { name: string; failure: unknown }[] }>('sources');
    for (const name of NAMES) {
      const path = `${PATHS[name]}?limit=1000&sort=id`;
      const [expected, found] = [
        await this.#origin.read<{ data: Row[] }>(path),
        await this.#copy.read<{ data: Row[] }>(path),
      ];
      if (JSON.stringify(expected.data) !== JSON.stringify(found.data)) throw new Error(`${name}: the accounts differ`);
      const source = sources.data.find((each) => each.name === `stockbook/${name}`);
      if (source === undefined || source.failure !== null)
        throw new Error(`${name}: it still fails: ${JSON.stringify(source?.failure)}`);
    }
  }

  #mirror({ instance, signal, isDead }: Start): Promise<void> {
    const side = (name: 'origin' | 'copy', { key }: SimulatedAccount) => ({
      url: `http://${name}`,
      key,
      fetch: this.#network.fetchTo({ name, host: this.#service.host, errors: STOCKBOOK_ERRORS }, instance, isDead),
    });
    return mirrorForever({
      from: side('origin', this.#origin),
      to: side('copy', this.#copy),
      resources: NAMES,
      source: 'stockbook',
      confirmRemovals: false,
      log: { event: () => {}, warning: () => {} },
      onProgress: () => {},
      signal,
      clock: this.#time.clock,
    });
  }
}
