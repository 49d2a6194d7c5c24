/** Whether an import is running, has ended, or has failed. */

import type { Import } from '@stockbook/client';
import { Icon, type IconName } from '../ui/icon.tsx';
import './import-state-word.css';

const WORDS: Readonly<Record<Import['state'], { readonly word: string; readonly icon: IconName }>> = {
  running: { word: 'running', icon: 'live' },
  done: { word: 'done', icon: 'check' },
  failed: { word: 'failed', icon: 'warning' },
};

export function ImportStateWord({ of: one }: { readonly of: Import }) {
  const isCancelled = one.state === 'failed' && one.problem.code === 'import_cancelled';
  const { word, icon } = isCancelled ? { word: 'cancelled', icon: 'remove' as const } : WORDS[one.state];
  return (
    <span className="import-state-word" data-state={word}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
