/** A command that cannot do what it was asked to. The message says why and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** The message. */
  readonly lines: readonly string[];
  readonly exitCode: 1 | 2;

  /** Exit code 2 for incorrect usage, 1 for a failure. */
  constructor(message: string | readonly string[], exitCode: 1 | 2 = 1) {
    const lines = typeof message === 'string' ? [message] : message;
    super(lines.join('\n'));
    this.lines = lines;
    this.exitCode = exitCode;
  }
}
