/** Shows or hides what is beside the table. */

import { ToggleButton } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';
import { useView } from '../view/use-view.ts';
import { newView } from '../view/view.ts';

export function PanelButton() {
  const { view, show } = useView();
  return (
    <ToggleButton
      className="button button-quiet"
      aria-label="Side panel"
      isSelected={view.panel !== undefined}
      onChange={(isShown) => show({ panel: isShown ? newView(view.resource).panel : undefined })}
    >
      <Icon name="panel" />
    </ToggleButton>
  );
}
