/** What Ctrl-C, SIGTERM and closing the terminal do to a command that has to clean up: it ends by itself, so that what is registered for its exit runs. */

import { hasTerminal } from '../process/has-terminal.ts';
import { printNote } from './output.ts';

/** The exit codes of programs that a signal ended. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `cleanUp` and exits at the first signal. Returns a function that ends this. */
export function onInterruption(cleanUp: () => void): () => void {
  const entries = Object.entries(EXIT_CODES).filter(([signal]) => signal !== 'SIGHUP' || hasTerminal());
  const listeners = entries.map(([signal, code]) => {
    const listener = () => {
      cleanUp();
      process.exit(code);
    };
    process.once(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const end of listeners) end();
  };
}

export function exitWhenInterrupted(): void {
  onInterruption(() => printNote('stockbook: Interrupted.'));
}
