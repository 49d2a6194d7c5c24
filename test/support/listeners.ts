/** Which sockets listen on 127.0.0.1, as Linux says it. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

interface Listener {
  readonly port: number;
  readonly inode: string;
}

const LOCAL = '0100007F';
const LISTEN = '0A';

function listeners(): readonly Listener[] {
  const [, ...rows] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n');
  return rows.flatMap((row) => {
    const cells = row.trim().split(/ +/);
    const [address = '', port = ''] = cells[1]?.split(':') ?? [];
    return address === LOCAL && cells[3] === LISTEN ? [{ port: Number.parseInt(port, 16), inode: cells[9] ?? '' }] : [];
  });
}

/** How many sockets listen on a port, of all processes. */
export function socketsOn(port: number): number {
  return listeners().filter((listener) => listener.port === port).length;
}

/** The ports on which a process listens, in no particular order. */
export function portsOf(pid: number | undefined): readonly number[] {
  const folder = `/proc/${pid}/fd`;
  const targets = new Set(readdirSync(folder).map((name) => targetOf(`${folder}/${name}`)));
  const own = listeners().filter(({ inode }) => targets.has(`socket:[${inode}]`));
  return [...new Set(own.map(({ port }) => port))];
}

/** Undefined if it has been closed meanwhile. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
