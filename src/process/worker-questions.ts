/** What the primary process asks its workers, and how they answer, over the channel between them. */

import type { Worker } from 'node:cluster';
import type { Obstacle } from '../admin/processes.ts';
import type { ProcessReport } from '../metrics/process-report.ts';

/** What each question is answered with. */
interface Answers {
  readonly report: ProcessReport;
  readonly obstacle: Obstacle;
}

type Question = keyof Answers;

interface Asked {
  readonly kind: 'question';
  readonly number: number;
  readonly question: Question;
}

interface Answered<Asking extends Question> {
  readonly kind: 'answer';
  readonly number: number;
  readonly answer: Answers[Asking];
}

/** Once one worker has answered, how long the others may take, in milliseconds: one that hangs must not hide them. */
const REMAINING_TIME = 500;

let questions = 0;

/** The answers that arrive in time, in milliseconds. */
export async function ask<Asking extends Question>(
  workers: readonly Worker[],
  question: Asking,
  timeout: number,
): Promise<ReadonlyMap<Worker, Answers[Asking]>> {
  questions += 1;
  const number = questions;
  const answers = new Map<Worker, Answers[Asking]>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let timer = setTimeout(end, timeout);
  const listeners = workers.map((worker) => {
    const take = (message: unknown) => {
      if (!isAnswerTo<Asking>(message, number)) return;
      answers.set(worker, message.answer);
      clearTimeout(timer);
      timer = setTimeout(end, REMAINING_TIME);
      if (answers.size === workers.length) end();
    };
    worker.on('message', take);
    worker.send({ kind: 'question', number, question } satisfies Asked, () => undefined);
    return () => worker.off('message', take);
  });
  if (workers.length === 0) end();
  await ended;
  clearTimeout(timer);
  for (const remove of listeners) remove();
  return answers;
}

/** Answers the questions of the primary process. */
export function answerQuestions(answers: { readonly [Asking in Question]: () => Promise<Answers[Asking]> }): void {
  process.on('message', (message: unknown) => {
    if (!isQuestion(message)) return;
    const { number, question } = message;
    answers[question]().then(
      (answer) =>
        process.send?.({ kind: 'answer', number, answer } satisfies Answered<typeof question>, () => undefined),
      // Without an answer, this worker counts as one that does not respond.
      () => undefined,
    );
  });
}

function isQuestion(message: unknown): message is Asked {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'question';
}

/** Both sides are the same program, so the answer is what the question asks for. */
function isAnswerTo<Asking extends Question>(message: unknown, number: number): message is Answered<Asking> {
  if (typeof message !== 'object' || message === null) return false;
  return 'kind' in message && message.kind === 'answer' && 'number' in message && message.number === number;
}
