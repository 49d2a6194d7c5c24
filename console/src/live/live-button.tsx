/** Turns live updates of the view on and off. */

import { useState } from 'react';
import { ToggleButton } from 'react-aria-components';
import { SHORTCUTS } from '../shortcuts/shortcuts.ts';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Icon } from '../ui/icon.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useView } from '../view/use-view.ts';
import type { LiveState } from './live-connection.tsx';
import { useIsVisible } from './use-is-visible.ts';
import './live-button.css';

const LiveConnection = loadLater(() => import('./live-connection.tsx'));

const TITLES: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  connected: 'Changes appear as they happen',
  reconnecting: 'Connection lost. Reconnecting…',
  stopped: 'Changes are not shown: the service refuses to send them',
};

export function LiveButton() {
  const { view, adjust } = useView();
  const [state, setState] = useState<LiveState>('connecting');
  const isVisible = useIsVisible();
  const toggle = () => {
    setState('connecting');
    adjust({ isLive: !view.isLive });
  };
  useShortcut('live', toggle);
  return (
    <>
      <ToggleButton
        className="button button-quiet live-button"
        aria-label="Live"
        isSelected={view.isLive}
        onChange={toggle}
        data-state={view.isLive ? state : undefined}
      >
        <span className="live-button-sign" title={view.isLive ? TITLES[state] : `Live (${SHORTCUTS.live.keys})`}>
          <Icon name="live" />
        </span>
        <span className="toolbar-label">Live</span>
      </ToggleButton>
      <span className="visually-hidden" role="status">
        {view.isLive && (state === 'reconnecting' || state === 'stopped') && TITLES[state]}
      </span>
      {view.isLive && isVisible && <LiveConnection onState={setState} />}
    </>
  );
}
