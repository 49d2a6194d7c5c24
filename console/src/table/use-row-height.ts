/** The height of a row in pixels. It depends on the pointer type, the text size and the zoom. */

import { type RefObject, useLayoutEffect, useState } from 'react';

/** Until it has been measured. */
const EXPECTED = 30;

/** Measures the header, which is always rendered and equally high. */
export function useRowHeight(head: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(EXPECTED);
  useLayoutEffect(() => {
    if (head.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const measured = entry?.borderBoxSize[0]?.blockSize ?? 0;
      if (measured > 0) setHeight(measured);
    });
    observer.observe(head.current);
    return () => observer.disconnect();
  }, [head]);
  return height;
}
