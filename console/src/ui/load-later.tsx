/** Components that nobody sees at first. They are loaded when the browser has nothing else to do, or at once when they are shown. */

import { type ComponentType, lazy, Suspense } from 'react';
import { FailureBoundary } from './failure-boundary.tsx';

const loads: (() => Promise<unknown>)[] = [];

/** The default export of a module. Until it is there, nothing is shown in its place. */
export function loadLater<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): ComponentType<Props> {
  const Loaded = lazy(load);
  loads.push(load);
  return function Later(props) {
    return (
      <FailureBoundary>
        <Suspense>
          <Loaded {...props} />
        </Suspense>
      </FailureBoundary>
    );
  };
}

/** Loads all that is left, so that nobody waits for it and nothing that is typed at once gets lost. */
export function loadTheRest(): void {
  for (const load of loads.splice(0)) whenIdle(() => load().catch(tryAgainWhenShown));
}

function tryAgainWhenShown(): void {}

/** Safari has no idle callbacks. */
const whenIdle: (run: () => unknown) => unknown = globalThis.requestIdleCallback ?? setTimeout;
