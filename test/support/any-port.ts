/**
 * Ports for programs that cannot listen on port 0 and say which one they got, such as PostgreSQL, and for what listens on its port again after it has been
 * away. Everything else listens on port 0.
 */

import { randomInt } from 'node:crypto';

/** Resolves to the port. `start` resolves to false if another program has the port that it is given, and is then called with another one. */
export async function startOnAnyPort(start: (port: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    // Below the ephemeral ports, so that no outgoing connection occupies it while nothing listens.
    const port = randomInt(10_000, 32_768);
    if (await start(port)) return port;
  }
}
