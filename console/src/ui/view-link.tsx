/** A link to another view. It can be opened in another tab. */

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useView, type ViewChange } from '../view/use-view.ts';
import { hrefOf } from '../view/view.ts';

export interface ViewLinkProps {
  readonly change: ViewChange;
  readonly children: ReactNode;
}

export function ViewLink({ change, children }: ViewLinkProps) {
  const { view } = useView();
  return <Link href={hrefOf({ ...view, ...change })}>{children}</Link>;
}
