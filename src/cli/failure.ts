/** A command that cannot do what it was asked. The message says why, and what to do about it. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: 1 | 2;

  /** Exit code 2 where the command was used wrongly, 1 where it failed. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
