/** Shown in place of records if a link has an invalid filter. The query bar explains the error. */

import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export function InvalidFilter() {
  const { resource } = useView().view;
  return (
    <Notice title="The filter has an error" icon="warning">
      <p>Fix it above to see the matching {resource.plural}.</p>
    </Notice>
  );
}
