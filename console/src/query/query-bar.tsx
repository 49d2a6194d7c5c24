/** What is asked for: the filter as chips, and the same filter as text. */

import { TextField } from '../ui/text-field.tsx';
import { useView } from '../view/use-view.ts';
import { checkFilter } from './check-filter.ts';

export function QueryBar() {
  const { view, adjust } = useView();
  const checked = checkFilter(view.resource, view.filter);
  return (
    <TextField
      label="Filter"
      value={view.filter}
      onChange={(filter) => adjust({ filter })}
      problem={checked.kind === 'invalid' ? checked.problem.detail : undefined}
    />
  );
}
