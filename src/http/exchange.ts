/** A request and its response, from the arrival of the headers to the last byte of the response. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../problem/problem.ts';
import type { Clock } from '../schedule/clock.ts';
import { Deadline } from '../schedule/deadline.ts';

export class Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Starts when the request arrives, so it includes the time that a pipelined request waits for those before it. */
  readonly deadline: Deadline;
  /** Whether the client waits for a 100 before it sends the body. */
  readonly expectsContinue: boolean;
  /** Whether the body is read in pieces, however long that takes. */
  isStreamed = false;
  #bodyProblem: Problem | undefined;
  #onClosed: (() => void) | undefined;
  #onBodyProblem: ((problem: Problem) => void) | undefined;

  /** `timeout` is in milliseconds. */
  constructor(
    message: IncomingMessage,
    response: ServerResponse,
    clock: Clock,
    timeout: number,
    expectsContinue: boolean,
  ) {
    this.message = message;
    this.response = response;
    this.clock = clock;
    this.deadline = new Deadline(timeout, clock);
    this.expectsContinue = expectsContinue;
  }

  /** The response is complete, or the client has left. */
  close(): void {
    this.deadline.end();
    this.#onClosed?.();
  }

  /** Calls `act` when it is closed, or now if it is: a client may leave before its response is ready. */
  onClosed(act: () => void): void {
    if (this.response.closed) act();
    else this.#onClosed = act;
  }

  /** The rest of the body is malformed or late, and will not be read. */
  failBody(problem: Problem): void {
    this.#bodyProblem ??= problem;
    this.#onBodyProblem?.(problem);
  }

  /** Calls `act` when the body fails, or now if it has failed. */
  onBodyProblem(act: (problem: Problem) => void): void {
    if (this.#bodyProblem === undefined) this.#onBodyProblem = act;
    else act(this.#bodyProblem);
  }
}
