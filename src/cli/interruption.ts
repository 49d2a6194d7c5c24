/** What Ctrl-C and SIGTERM do to a command that has to clean up: it ends by itself, so that what is registered for its exit runs. */

import { printNote } from './output.ts';

export function exitWhenInterrupted(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      printNote('stockbook: Interrupted.');
      process.exit(code);
    });
  }
}
