/** A countdown in seconds. */

import { useEffect, useState } from 'react';

/** Restarts if `occasion` changes. The duration is in milliseconds; without one, the result is 0. */
export function useCountdown(duration: number | undefined, occasion: unknown): number {
  const [left, setLeft] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same duration may begin again
  useEffect(() => {
    if (duration === undefined) return setLeft(0);
    const end = Date.now() + duration;
    const update = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1_000)));
    update();
    const timer = setInterval(update, 250);
    return () => clearInterval(timer);
  }, [duration, occasion]);
  return left;
}
