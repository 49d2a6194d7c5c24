/** The attacker: carries out one attack at a time, in a process controlled by the benchmark, on loopback only. */

import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Attack, attackNamed } from './attacks.ts';

export interface AttackJob {
  readonly kind: 'attack';
  readonly name: string;
  readonly port: number;
  readonly key: string;
  /** The products of the account. */
  readonly rows: number;
  /** The attack ends after this many seconds, unless it is stopped before. */
  readonly seconds: number;
}

export type AttackCommand = AttackJob | { readonly kind: 'stop' };

/** Sent when the first response arrives, and when the attack is over. */
export type AttackReport = { readonly kind: 'started' } | { readonly kind: 'ended' } | { readonly error: string };

/** How long a client waits after a response other than 200, in milliseconds. */
const RETRY_DELAY = 100;

let attacker: Attacker | undefined;

process.on('message', (command: AttackCommand) => {
  if (command.kind === 'stop') {
    attacker?.stop();
    return;
  }
  const attack = attackNamed(command.name);
  if (attack === undefined) {
    process.send?.({ error: `there is no attack "${command.name}"` } satisfies AttackReport);
    return;
  }
  attacker = new Attacker(attack, command);
  void attacker.run().then(() => process.send?.({ kind: 'ended' } satisfies AttackReport));
});
process.on('disconnect', () => process.exit());

class Attacker {
  readonly #attack: Attack;
  readonly #job: AttackJob;
  readonly #over = new AbortController();
  #batches = 0;
  #hasStarted = false;

  constructor(attack: Attack, job: AttackJob) {
    this.#attack = attack;
    this.#job = job;
  }

  async run(): Promise<void> {
    const timer = setTimeout(this.#job.seconds * 1_000, undefined, { signal: this.#over.signal, ref: false });
    timer.then(
      () => this.stop(),
      () => undefined,
    );
    await Promise.all(Array.from({ length: this.#attack.connections }, () => this.#client()));
  }

  stop(): void {
    this.#over.abort();
  }

  async #client(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const socket = connect({ port: this.#job.port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
      const destroy = () => socket.destroy();
      signal.addEventListener('abort', destroy);
      await this.#use(socket);
      signal.removeEventListener('abort', destroy);
      socket.destroy();
    }
  }

  /** Until the connection is closed, by either side. */
  async #use(socket: Socket): Promise<void> {
    while (!socket.destroyed) {
      socket.write(this.#nextBatch());
      const status = await (this.#attack.reads === 'all' ? readAll(socket) : readStatus(socket));
      if (status === undefined) return;
      this.#start();
      if (status !== 200) await setTimeout(RETRY_DELAY);
      else if (this.#attack.reads === 'none' && !socket.destroyed)
        await new Promise((resolve) => socket.once('close', resolve));
      if (this.#attack.reads !== 'all') return;
    }
  }

  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    process.send?.({ kind: 'started' } satisfies AttackReport);
  }

  #nextBatch(): string {
    const paths = this.#attack.batch(this.#batches, this.#job.rows);
    this.#batches += 1;
    const accept = this.#attack.accept === undefined ? '' : `Accept: ${this.#attack.accept}\r\n`;
    const head = `Host: 127.0.0.1\r\nAuthorization: Bearer ${this.#job.key}\r\n${accept}\r\n`;
    return paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}`).join('');
  }
}

/** The status of the next response. Undefined if the connection is closed first. */
function readStatus(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    socket.once('readable', () => resolve(Number(socket.read()?.toString('latin1', 9, 12)) || undefined));
  });
}

/** Likewise, once its body has been read. All of these responses have a Content-Length. */
function readAll(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    let head = '';
    let left = Number.POSITIVE_INFINITY;
    const read = (chunk: Buffer) => {
      if (left === Number.POSITIVE_INFINITY) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) - (head.length - end - 4);
      } else {
        left -= chunk.length;
      }
      if (left <= 0) done(Number(head.slice(9, 12)));
    };
    const closed = () => done(undefined);
    const done = (status: number | undefined) => {
      socket.off('data', read).off('close', closed);
      resolve(status);
    };
    socket.on('data', read).once('close', closed);
  });
}
