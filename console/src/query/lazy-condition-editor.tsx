/** The editor of a condition is loaded when it is needed first. */

import { lazy, Suspense } from 'react';
import type { ConditionEditorProps } from './condition-editor.tsx';

const ConditionEditor = lazy(() => import('./condition-editor.tsx'));

export function LazyConditionEditor(props: ConditionEditorProps) {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <ConditionEditor {...props} />
    </Suspense>
  );
}
