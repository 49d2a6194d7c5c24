/** What travels between the serving thread and another one. */

export interface CommandMessage<Command> {
  readonly number: number;
  /** Undefined asks the thread to exit. */
  readonly command: Command | undefined;
}

export interface ResultMessage<Result, Failure> {
  readonly number: number;
  readonly outcome: Outcome<Result | undefined, Failure>;
}

export type Outcome<Result, Failure> =
  | { readonly isDone: true; readonly result: Result }
  | { readonly isDone: false; readonly failure: Failure };
