/** Shows or hides what is beside the table. */

import { ToggleButton } from 'react-aria-components';
import { ShortcutHint } from '../shortcuts/shortcut-hint.tsx';
import { useShortcut } from '../shortcuts/use-shortcut.ts';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { newView } from '../view/view.ts';

export function PanelButton() {
  const { view, show } = useView();
  const isShown = view.panel !== undefined;
  const toggle = () => show({ panel: isShown ? undefined : newView(view.resource).panel });
  useShortcut('panel', toggle);
  return (
    <ToggleButton className="button button-quiet" aria-label="Side panel" isSelected={isShown} onChange={toggle}>
      <ShortcutHint name="panel" title="Side panel">
        <Icon name="panel" />
      </ShortcutHint>
    </ToggleButton>
  );
}
