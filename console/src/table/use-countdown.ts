/** How long it is until something happens, in seconds. */

import { useEffect, useState } from 'react';

/** Begins again when the occasion is another one. Zero without a duration, which is in milliseconds. */
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
