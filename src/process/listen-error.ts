/** Why the service cannot listen on its ports, and which flags choose others. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { flagOf, type SettingValues } from '../settings/settings.ts';
import { StartupError } from './startup-error.ts';

/** The settings that choose an address, and a port for it that is unlikely to be in use. */
export const PUBLIC = { port: 'port', host: 'host', examplePort: 8080 } as const;
export const ADMIN = { port: 'admin-port', host: 'admin-host', examplePort: 8081 } as const;

type Address = typeof PUBLIC | typeof ADMIN;

export function rethrowListenError(settings: SettingValues, address: Address): (error: unknown) => Promise<never> {
  return async (error) => {
    throw await explained(error, settings, address);
  };
}

async function explained(error: unknown, settings: SettingValues, address: Address): Promise<unknown> {
  const [port, host] = [settings.get(address.port), settings.get(address.host)];
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      // The admin address comes first. If the service is running already, it has both ports.
      return portsTaken(settings, address === ADMIN && (await isTaken(settings, PUBLIC)) ? [PUBLIC, ADMIN] : [address]);
    case 'EACCES':
      return new StartupError(
        `This user may not listen on port ${port} of ${host}. Choose a port above 1023 with ${flagOf(address.port)} ${freePort(settings, [address.examplePort])}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(
        `This machine has no address ${host}. Choose another with ${flagOf(address.host)} 127.0.0.1.`,
      );
    default:
      return error;
  }
}

function portsTaken(settings: SettingValues, addresses: readonly Address[]): StartupError {
  const chosen: number[] = [];
  const flags = addresses.map(({ port }) => {
    const taken = settings.get(port);
    const free = freePort(settings, [taken + 10, taken + 20], chosen);
    chosen.push(free);
    return `${flagOf(port)} ${free}`;
  });
  const taken = addresses.map(({ port, host }) => `${settings.get(port)} on ${settings.get(host)}`).join(' and port ');
  const [are, other] = addresses.length === 1 ? ['is', 'another port'] : ['are', 'other ports'];
  const it = addresses.length === 1 ? 'it' : 'them';
  return new StartupError(
    `Port ${taken} ${are} in use. Stop the program that uses ${it}, or choose ${other} with ${flags.join(' ')}.`,
  );
}

/** One of these, or another that is likely to be free, but neither of those that the service uses. */
function freePort(settings: SettingValues, wanted: readonly number[], chosen: readonly number[] = []): number {
  const taken = [settings.get('port'), settings.get('admin-port'), ...chosen];
  const free = (port: number) => port <= 65_535 && !taken.includes(port);
  return [...wanted, 8090, 8091, 8092, 8093].find(free) ?? 0;
}

async function isTaken(settings: SettingValues, { host, port }: Address): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ host: settings.get(host), port: settings.get(port), exclusive: true });
    await once(server, 'listening');
    return false;
  } catch (error) {
    return codeOf(error) === 'EADDRINUSE';
  } finally {
    server.close();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
