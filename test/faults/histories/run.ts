/** A history of a deployment: clients at work, faults meanwhile, and in the end, when everything is quiet, an audit. */

import { seededRandom } from '../../support/random.ts';
import { audit, Clients, fill } from './clients.ts';
import { Deployment, type DeploymentOptions } from './deployment.ts';
import type { Call } from './history.ts';
import { haunt } from './nemesis.ts';
import { Recorder } from './recorder.ts';

const CLIENTS = 16;

export interface RunOptions extends DeploymentOptions {
  /** The random choices depend on it, and on the seed of the run. */
  readonly purpose: string;
  /** At least. */
  readonly calls: number;
  /** How many partners there are from the beginning. */
  readonly partners: number;
  /** Ends it early, without a result. */
  readonly signal: AbortSignal;
}

export interface Run {
  readonly calls: readonly Call[];
  readonly faults: readonly string[];
  /** What `stockbook check` says in the end. */
  readonly findings: string;
}

export async function runHistory({ purpose, calls, partners, signal, ...options }: RunOptions): Promise<Run> {
  const deployment = await Deployment.start(options);
  const recorder = new Recorder({ port: (client) => deployment.port(client), key: deployment.key });
  signal.addEventListener('abort', () => recorder.close());
  try {
    const clients = new Clients(recorder, { count: CLIENTS, purpose, partners });
    await fill(clients, CLIENTS);
    clients.start();
    const isEnough = () => recorder.calls.length >= calls || clients.isStopping;
    const faults = await haunt(
      { deployment, recorder, clients: CLIENTS, random: seededRandom(`${purpose} nemesis`) },
      isEnough,
    );
    await deployment.ready();
    await clients.stop();
    for (const resource of ['partner', 'company'] as const) await audit(clients, CLIENTS, resource);
    return { calls: recorder.calls, faults, findings: await deployment.findings() };
  } finally {
    recorder.close();
    await deployment.remove();
  }
}
