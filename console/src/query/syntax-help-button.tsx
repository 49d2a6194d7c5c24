/** Opens the help on how filters are written. */

import { Button } from '../ui/button.tsx';
import { loadLater } from '../ui/load-later.tsx';
import { useOpener } from '../ui/use-opener.ts';
import { useView } from '../view/use-view.ts';

const SyntaxHelp = loadLater(() => import('./syntax-help.tsx'));

export function SyntaxHelpButton() {
  const { resource } = useView().view;
  const opener = useOpener('dialog');
  return (
    <>
      <Button look="quiet" aria-label="How filters are written" {...opener.button}>
        ?
      </Button>
      {opener.isOpen && <SyntaxHelp resource={resource} opener={opener} />}
    </>
  );
}
