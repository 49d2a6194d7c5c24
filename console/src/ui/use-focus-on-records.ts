/**
 * If what has the focus disappears with a part of the records, the records that take its place get it, so that the next Tab goes on
 * there. Focus that was lost elsewhere, for example with a condition that was removed, is left alone.
 */

import { useEffect } from 'react';

export function useFocusOnRecords(): void {
  useEffect(() => {
    const isWithin = (element: unknown) =>
      element instanceof Node && document.getElementById('records')?.contains(element) === true;
    let wasWithin = isWithin(document.activeElement);
    const follow = ({ target }: FocusEvent) => {
      wasWithin = isWithin(target);
    };
    document.addEventListener('focusin', follow);
    return () => {
      document.removeEventListener('focusin', follow);
      if (!wasWithin) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('records')?.focus();
      });
    };
  }, []);
}
