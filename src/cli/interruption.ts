/** What Ctrl-C, SIGTERM and closing the terminal do to a command that has to clean up: it ends by itself, so that what is registered for its exit runs. */

import { hasTerminal } from '../process/has-terminal.ts';
import { firstOrLater } from '../process/shutdown.ts';
import { printNote } from './output.ts';
import type { ProgressReport } from './progress.ts';

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

/** For a command that ends by itself when its signal aborts, once it has finished what it does. A second Ctrl-C or SIGTERM ends it at once. */
export function abortWhenInterrupted(): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const listener = firstOrLater(
    () => controller.abort(),
    (signal: keyof typeof EXIT_CODES) => process.exit(EXIT_CODES[signal]),
  );
  const signals: readonly (keyof typeof EXIT_CODES)[] = [
    'SIGINT',
    'SIGTERM',
    ...(hasTerminal() ? ['SIGHUP' as const] : []),
  ];
  for (const signal of signals) process.on(signal, listener);
  return {
    signal: controller.signal,
    end() {
      for (const signal of signals) process.off(signal, listener);
    },
  };
}

/** Returns a function that ends this. */
export function exitWhenInterrupted(report: ProgressReport): () => void {
  return onInterruption(() => {
    report.end();
    printNote('stockbook: Interrupted.');
  });
}
