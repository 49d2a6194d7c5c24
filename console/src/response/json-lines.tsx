/** Text of any length. Only the visible lines are in the document. */

import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import './json-lines.css';

/** The height of a line in pixels, as in the stylesheet. */
const LINE = 18;

export function JsonLines({ lines }: { readonly lines: readonly string[] }) {
  const region = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => region.current,
    estimateSize: () => LINE,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section className="json-lines" aria-label="JSON body" tabIndex={0} ref={region}>
      <pre style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <code style={{ top: start }} key={index}>
            {lines[index]}
          </code>
        ))}
      </pre>
    </section>
  );
}
