/** Above the table: how many records there are, and what can be done with them. */

import { useList } from '../data/use-list.ts';
import { countOf } from '../format/values.ts';
import { useView } from '../view/use-view.ts';

export function Toolbar() {
  const { view } = useView();
  const { data } = useList();
  return <p>{data && countOf(data.meta.total, view.resource.name, view.resource.plural)}</p>;
}
