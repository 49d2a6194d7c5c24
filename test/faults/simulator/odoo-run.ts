/** The mirror of an Odoo, for as many days as somebody has patience. */

import { StockbookError } from '../../../src/client/index.ts';
import { type MirrorOptions, mirrorForever } from '../../../src/connectors/odoo/mirror-odoo.ts';
import { OdooError } from '../../../src/connectors/odoo/odoo-error.ts';
import { ODOO_DATABASE, ODOO_KEY, ODOO_LOGIN } from '../../support/odoo-database.ts';
import type { Random } from '../../support/random.ts';
import { Connector, type Start } from './connector.ts';
import { STOCKBOOK_ERRORS } from './errors.ts';
import { SimulatedNetwork } from './network.ts';
import { ACTIVITIES, type Activity, ODOO_ERRORS, type Row, SimulatedOdoo } from './odoo.ts';
import { checkPace } from './pace.ts';
import { openSimulatedService, type SimulatedAccount, type SimulatedService } from './service.ts';
import type { Simulated, Simulation } from './simulate.ts';
import { DAY, HOUR, MINUTE, SECOND, SimulatedTime } from './time.ts';

const RESOURCES = { product: 'inventory/product', partner: 'resources/partner', company: 'resources/company' } as const;

const NAMES = ['product', 'partner', 'company'] as const;

/** How far the mirror goes back, in seconds. No transaction of Odoo takes longer, unless silent changes happen as well. */
const OVERLAP = 180;

/** What a connector takes at most to recover from a failure of the network, and to do what is due then, in milliseconds. */
const RECOVERY = 12 * MINUTE;

/** How often everything is compared, in seconds, unless only that finds a change: it would find whatever was missed before. */
const SELDOM = 60 * 86_400;

/** How often the mirror looks: so often that much happens within minutes, or so seldom that weeks can pass. */
type Tempo = 'lively' | 'calm';

/** Options of a start, which differ from one to the next. */
type Choice = Pick<
  MirrorOptions,
  'interval' | 'removalInterval' | 'comparisonInterval' | 'pageSize' | 'requestsPerSecond'
>;

export class OdooRun implements Simulation {
  readonly #random: Random;
  readonly #time: SimulatedTime;
  readonly #network: SimulatedNetwork;
  readonly #odoo: SimulatedOdoo;
  readonly #service: SimulatedService;
  readonly #account: SimulatedAccount;
  readonly #connector: Connector;
  #tempo: Tempo = 'calm';
  /** Whether the account has been equal to Odoo. */
  #wasEqual = false;
  #isWorkedMeanwhile = false;
  #activity: Activity = 'writes';
  #choice: Choice;

  private constructor(random: Random, time: SimulatedTime, service: SimulatedService, account: SimulatedAccount) {
    this.#random = random;
    this.#time = time;
    this.#service = service;
    this.#account = account;
    this.#network = new SimulatedNetwork(time, random);
    this.#odoo = new SimulatedOdoo(time, random, () => this.#workMeanwhile());
    this.#choice = this.#choose();
    this.#connector = new Connector(
      time,
      (start) => this.#mirror(start),
      (error) => this.#isExpected(error),
    );
  }

  static async open(random: Random): Promise<OdooRun> {
    const time = new SimulatedTime(random);
    const service = await openSimulatedService(time);
    return new OdooRun(random, time, service, await service.addAccount('mirrored'));
  }

  /** Throws if the account is not what it has to be. */
  async run(days: number): Promise<Simulated> {
    const began = this.#time.now;
    this.#connector.start();
    while (this.#time.now < began + days * DAY) {
      this.#activity = this.#random.pick(ACTIVITIES);
      this.#tempo = this.#random.pick(['lively', 'lively', 'lively', 'calm']);
      await this.#restart();
      await this.#busy();
      await this.#quiet();
      await this.#check();
      this.#wasEqual = true;
      this.#odoo.seen();
    }
    return { days: (this.#time.now - began) / DAY, starts: this.#connector.starts, faults: this.#network.counts };
  }

  async close(): Promise<void> {
    this.#network.recover();
    await this.#connector.close();
    await this.#service.close();
  }

  /** People work, and everything fails. */
  async #busy(): Promise<void> {
    const random = this.#random;
    this.#network.failing = random.pick([0, 0, 0.05, 0.3]);
    this.#isWorkedMeanwhile = random.chance(0.8);
    const isLively = this.#tempo === 'lively';
    const end =
      this.#time.now + (isLively ? random.between(5 * MINUTE, 15 * MINUTE) : random.between(2 * DAY, 40 * DAY));
    while (this.#time.now < end) {
      // Much at a time, then nothing for a while.
      const pause = random.chance(0.7) ? 20 * SECOND : isLively ? 10 * MINUTE : 3 * DAY;
      await this.#time.pass(random.below(pause));
      const happens = random.next();
      if (happens < 0.8) this.#work();
      else if (happens < 0.85) await this.#restart();
      else if (happens < 0.93)
        this.#network.takeDown(random.pick(['odoo', 'stockbook']), random.below(isLively ? 2 * MINUTE : HOUR));
      else this.#setClock();
    }
    this.#isWorkedMeanwhile = false;
  }

  #work(): void {
    this.#odoo.begin(this.#activity, this.#duration(this.#activity));
  }

  /** While the mirror reads. */
  #workMeanwhile(): void {
    if (!this.#isWorkedMeanwhile || !this.#random.chance(0.1)) return;
    for (let n = this.#random.between(1, 5); n > 0; n -= 1) this.#work();
  }

  #duration(activity: Activity): number {
    const random = this.#random;
    if (random.chance(0.3)) return random.below(SECOND);
    // Two seconds less, since Odoo cuts off fractions of them.
    if (random.chance(0.9) || activity !== 'silent changes') return random.below((OVERLAP - 2) * SECOND);
    return random.below(30 * MINUTE);
  }

  async #restart(): Promise<void> {
    if (this.#random.chance(0.6)) this.#connector.kill();
    else await this.#connector.stop();
    await this.#time.pass(
      this.#random.chance(0.5)
        ? this.#random.below(10 * SECOND)
        : this.#random.below(this.#tempo === 'lively' ? 5 * MINUTE : DAY),
    );
    this.#choice = this.#choose();
    this.#connector.start();
  }

  /** Somebody sets the wall time of the machine on which the mirror and Stockbook are. */
  #setClock(): void {
    const { clock } = this.#time;
    clock.set(clock.wall() + this.#random.between(this.#random.pick([-3 * HOUR, -2 * DAY]), 2 * HOUR));
  }

  /** Everything works, until the mirror must have seen everything. */
  async #quiet(): Promise<void> {
    this.#network.recover();
    this.#connector.start();
    await this.#time.pass(HOUR, () => this.#odoo.open === 0);
    const { interval, removalInterval, comparisonInterval } = this.#choice;
    const due = {
      writes: interval,
      removals: removalInterval + interval,
      'silent changes': comparisonInterval + interval,
    };
    await this.#time.pass(RECOVERY + (interval + due[this.#activity]) * SECOND);
  }

  async #check(): Promise<void> {
    const about = `after ${this.#activity}, ${((this.#time.now - 1_000_000) / DAY).toFixed(2)} days`;
    if (this.#connector.failure !== undefined)
      throw new Error(`the mirror has ended, ${about}`, { cause: this.#connector.failure });
    for (const name of NAMES) {
      const [expected, found] = [this.#odoo.rows(name), await this.#rows(name)];
      const difference = firstDifference(expected, found);
      if (difference !== undefined) throw new Error(`${name}: ${difference}, ${about}`);
      await this.#checkSource(name, about);
    }
    checkPace(this.#network.sent, 'odoo');
    checkPace(this.#network.sent, 'stockbook');
  }

  async #rows(name: (typeof NAMES)[number]): Promise<readonly Row[]> {
    const fields = Object.keys(this.#odoo.rows(name)[0] ?? { id: 0 }).toSorted((a) => (a === 'id' ? -1 : 1));
    const { data, meta } = await this.#account.read<{ data: Row[]; meta: { total: number } }>(
      `${RESOURCES[name]}?limit=1000&sort=id&fields=${fields.join(',')}`,
    );
    if (meta.total !== data.length)
      throw new Error(`${name}: the total is ${meta.total}, but there are ${data.length}`);
    return data;
  }

  /** The position says how far Odoo has been read, and that nothing fails. */
  async #checkSource(name: string, about: string): Promise<void> {
    const { data } = await this.#account.read<{ data: { name: string; position: string; failure: unknown }[] }>(
      'sources',
    );
    const source = data.find((each) => each.name === `odoo/${name}`);
    if (source === undefined) throw new Error(`${name}: there is no position, ${about}`);
    if (source.failure !== null)
      throw new Error(`${name}: it still fails, ${about}: ${JSON.stringify(source.failure)}`);
    const { comparing, comparedAt, seen } = JSON.parse(source.position);
    if (comparing !== undefined || comparedAt === null)
      throw new Error(`${name}: the comparison has not ended, ${about}`);
    const latest = this.#odoo.latestWrite;
    for (const time of Object.values(seen))
      if (typeof time === 'string' && time > latest)
        throw new Error(`${name}: ${time} has been seen, but nothing was written after ${latest}`);
  }

  #mirror({ instance, signal, isDead }: Start): Promise<void> {
    const options = { instance, isDead };
    const to = (name: 'odoo' | 'stockbook') =>
      this.#network.fetchTo(
        name === 'odoo'
          ? { name, host: this.#odoo.host, errors: ODOO_ERRORS }
          : { name, host: this.#service.host, errors: STOCKBOOK_ERRORS },
        options.instance,
        options.isDead,
      );
    return mirrorForever({
      ...this.#choice,
      odoo: { url: 'http://odoo/', database: ODOO_DATABASE, key: ODOO_KEY, login: ODOO_LOGIN, fetch: to('odoo') },
      account: { url: 'http://stockbook', key: this.#account.key, fetch: to('stockbook') },
      resources: NAMES,
      added: [],
      language: undefined,
      companies: [],
      overlap: OVERLAP,
      source: 'odoo',
      confirmRemovals: false,
      mayHaveMoved: false,
      log: { event: () => {}, warning: () => {} },
      onProgress: () => {},
      signal,
      clock: this.#time.clock,
    });
  }

  /** The mirror ends if the key is not accepted, if Stockbook has a bug, and if it has never read what should be an Odoo. */
  #isExpected(error: unknown): boolean {
    if (error instanceof StockbookError) return error.status === 500;
    if (!(error instanceof OdooError)) return false;
    return error.kind === 'wrong key' || (!this.#wasEqual && ['not Odoo', 'wrong database'].includes(error.kind));
  }

  #choose(): Choice {
    const random = this.#random;
    const isLively = this.#tempo === 'lively';
    const interval = isLively ? random.pick([15, 60, 300]) : random.pick([12, 24]) * 3_600;
    return {
      interval,
      removalInterval: isLively ? 300 : random.pick([300, 3_600]),
      comparisonInterval: this.#activity === 'silent changes' ? 10 * interval : SELDOM,
      pageSize: random.pick(isLively ? [7, 20, 1_000] : [20, 1_000]),
      requestsPerSecond: random.pick([1, 5, 50]),
    };
  }
}

export function firstDifference(expected: readonly Row[], found: readonly Row[]): string | undefined {
  const own = new Map(found.map((row) => [row.id, row]));
  if (own.size < found.length) return 'a record is there twice';
  for (const row of expected) {
    const other = own.get(row.id);
    if (other === undefined) return `record ${row.id} is missing`;
    own.delete(row.id);
    for (const [field, value] of Object.entries(row))
      if (other[field] !== value)
        return `${field} of record ${row.id} is ${JSON.stringify(other[field])}, not ${JSON.stringify(value)}`;
  }
  const [surplus] = own.keys();
  return surplus === undefined ? undefined : `record ${surplus} should not be there`;
}
