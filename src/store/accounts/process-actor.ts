/** Who runs this process, and where, for the audit trail. */

import { hostname, userInfo } from 'node:os';
import type { Actor } from '../audit.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `alice`, or `alice as root` with sudo; on `db1`, or `db1 from 203.0.113.7` over SSH. */
export function processActor(environment: Environment = process.env, userId = process.getuid?.()): Actor {
  const user = userName();
  const { SUDO_USER, SSH_CONNECTION: connection } = environment;
  // Only root can become somebody else anyway: others would claim to be.
  const invoker = userId === 0 ? SUDO_USER : undefined;
  const client = connection?.split(' ', 1)[0];
  return {
    name: invoker && invoker !== user ? `${invoker} as ${user}` : user,
    origin: client ? `${hostname()} from ${client}` : hostname(),
  };
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.()}`;
  }
}
