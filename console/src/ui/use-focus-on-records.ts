/** If what has the focus disappears with a part of the page, the records that take its place get it, so that the next Tab goes on there. */

import { useEffect } from 'react';

export function useFocusOnRecords(): void {
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('records')?.focus();
      });
    },
    [],
  );
}
