/** In place of the records if a link has a filter with a mistake, which the query bar marks and explains. */

import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export function InvalidFilter() {
  const { resource } = useView().view;
  return (
    <Notice title="The filter has a mistake" icon="warning">
      <p>Correct it above to see the {resource.plural} that match.</p>
    </Notice>
  );
}
