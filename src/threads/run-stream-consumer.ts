/** Runs inside a thread that consumes streams. */

import { type CommandHandler, runThread } from './run-thread.ts';

/** `stream` is a number that identifies the stream. */
export type StreamCommand<Start> =
  | { readonly kind: 'begin'; readonly stream: number; readonly start: Start }
  | { readonly kind: 'update'; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly kind: 'finish'; readonly stream: number }
  | { readonly kind: 'end'; readonly stream: number };

export type StreamProgress<Result> =
  | { readonly isFinished: false }
  | { readonly isFinished: true; readonly result: Result };

/** Consumes one stream. */
export interface Consumer<Result> {
  /** Returns a result if the rest of the stream does not matter. */
  update(bytes: Uint8Array): Result | undefined;
  /** Called after the last chunk, once or more: every call is a step, and the last one returns the result. */
  finish(): Result | undefined;
}

export interface StreamConsumerOptions<Result> {
  /** The memory of a result that the serving thread takes over instead of copying it. */
  transferred?(result: Result): readonly ArrayBuffer[];
}

class StreamHandler<Start, Result> implements CommandHandler<StreamCommand<Start>, StreamProgress<Result>> {
  readonly #begin: (start: Start) => Consumer<Result>;
  readonly #streams = new Map<number, Consumer<Result>>();

  readonly #options: StreamConsumerOptions<Result>;

  constructor(begin: (start: Start) => Consumer<Result>, options: StreamConsumerOptions<Result>) {
    this.#begin = begin;
    this.#options = options;
  }

  execute(command: StreamCommand<Start>): StreamProgress<Result> {
    switch (command.kind) {
      case 'begin':
        this.#streams.set(command.stream, this.#begin(command.start));
        return { isFinished: false };
      case 'update':
        return progressOf(this.#stream(command.stream).update(command.bytes));
      case 'finish':
        return progressOf(this.#stream(command.stream).finish());
      case 'end':
        this.#streams.delete(command.stream);
        return { isFinished: false };
    }
  }

  transferred(progress: StreamProgress<Result>): readonly ArrayBuffer[] {
    return progress.isFinished ? (this.#options.transferred?.(progress.result) ?? []) : [];
  }

  #stream(number: number): Consumer<Result> {
    const stream = this.#streams.get(number);
    if (stream === undefined) throw new Error('the stream has not begun in this thread');
    return stream;
  }

  close(): void {
    this.#streams.clear();
  }
}

function progressOf<Result>(result: Result | undefined): StreamProgress<Result> {
  return result === undefined ? { isFinished: false } : { isFinished: true, result };
}

export function runStreamConsumer<Start, Result>(
  begin: (start: Start) => Consumer<Result>,
  options: StreamConsumerOptions<Result> = {},
): void {
  runThread(
    () => new StreamHandler(begin, options),
    (error) => error,
  );
}
