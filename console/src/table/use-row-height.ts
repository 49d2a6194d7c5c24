/** How high the rows are, in pixels: it depends on the pointer, on the size of text, and on the zoom. */

import { type RefObject, useLayoutEffect, useState } from 'react';

/** Until it has been measured. */
const EXPECTED = 30;

/** As high as the header, of which there is always one. */
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
