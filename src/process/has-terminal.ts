/**
 * Whether a person sees this process on a terminal. If so, SIGHUP means that the terminal was closed. Otherwise the process was started to outlive it,
 * with `nohup` for example, and must not listen to the signal: that would undo what `nohup` did.
 */

import { isatty } from 'node:tty';

export function hasTerminal(): boolean {
  return [process.stdin.fd, process.stdout.fd, process.stderr.fd].some((descriptor) => isatty(descriptor));
}
