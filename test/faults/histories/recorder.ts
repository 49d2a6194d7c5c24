/** Sends what clients ask to the service, and records each call with its outcome. */

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { bearer, outgoing } from '../../support/service.ts';
import type { Ask, Call, Outcome } from './history.ts';
import { outcomeOf } from './outcomes.ts';
import { requestOf } from './requests.ts';

/** How long a client waits after a call that led nowhere, in milliseconds. */
const PAUSE = 20;

/** If no call has ended for so long, whatever is paused holds up all clients. In milliseconds. */
const STANDSTILL = 1_000;

export interface Connections {
  /** The port that a client's next call goes to. */
  readonly port: (client: number) => number;
  readonly key: string;
}

export class Recorder {
  readonly #connections: Connections;
  readonly #agents = new Map<number, Agent>();
  readonly calls: Call[] = [];
  #started = 0;
  #moments = 0;
  #isClosed = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Waits for somebody to listen first: what is asked before is not a call. Throws once the recorder is closed. */
  async call(client: number, ask: Ask): Promise<Outcome> {
    this.#started += 1;
    const number = this.#started;
    for (;;) {
      if (this.#isClosed) throw new Error('the history has ended');
      const start = this.#moment();
      const outcome = await this.#send(client, ask);
      if (outcome !== 'refused') this.calls.push({ number, client, start, end: this.#moment(), ask, outcome });
      if (outcome === 'refused' || outcome.is === 'unknown') await setTimeout(PAUSE);
      if (outcome !== 'refused') return outcome;
    }
  }

  /** Resolves once this many more calls have ended, or none can. */
  async progress(count: number): Promise<void> {
    const target = this.calls.length + count;
    for (let [seen, since] = [this.calls.length, performance.now()]; this.calls.length < target; ) {
      await setTimeout(PAUSE);
      if (this.calls.length > seen) [seen, since] = [this.calls.length, performance.now()];
      else if (performance.now() - since > STANDSTILL) return;
    }
  }

  /** Breaks the connection of a client, whatever it is waiting for. */
  cut(client: number): void {
    this.#agents.get(client)?.destroy();
  }

  close(): void {
    this.#isClosed = true;
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #moment(): number {
    this.#moments += 1;
    return this.#moments;
  }

  #send(client: number, ask: Ask): Promise<Outcome | 'refused'> {
    const { headers = {}, body, ...request } = requestOf(ask);
    const agent = this.#agents.get(client) ?? new Agent({ keepAlive: true, maxSockets: 1 });
    this.#agents.set(client, agent);
    const options = {
      ...request,
      host: '127.0.0.1',
      port: this.#connections.port(client),
      headers: outgoing({ ...bearer(this.#connections.key), ...headers }),
      agent,
    };
    return new Promise((resolve) => {
      const fail = ({ message }: Error) =>
        resolve(message.includes('ECONNREFUSED') ? 'refused' : { is: 'unknown', reason: message });
      const sent = httpRequest(options, (response) => {
        textOf(response).then((text) => resolve(outcomeIn(ask, response, text)), fail);
      });
      sent.on('error', fail);
      sent.end(body);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function outcomeIn(ask: Ask, { statusCode: status = 0, headers }: IncomingMessage, text: string): Outcome {
  const entries = Object.entries(headers).map(([name, value]) => [name, value?.toString()] as const);
  return outcomeOf(ask, { status, headers: Object.fromEntries(entries), text });
}
