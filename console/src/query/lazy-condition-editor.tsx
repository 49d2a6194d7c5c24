/** The editor of a condition, which is loaded after everything that is seen first. */

import { lazy, Suspense } from 'react';
import type { ConditionEditorProps } from './condition-editor.tsx';

const load = () => import('./condition-editor.tsx');
const ConditionEditor = lazy(load);

/** Before it is needed, so that nothing that is typed at once gets lost. */
export function preloadConditionEditor(): void {
  void load();
}

export function LazyConditionEditor(props: ConditionEditorProps) {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <ConditionEditor {...props} />
    </Suspense>
  );
}
