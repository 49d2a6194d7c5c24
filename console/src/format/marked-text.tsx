/** Text of a field, with the words that are searched for marked. */

import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Field } from '../../../src/catalog/resource.ts';
import { useView } from '../view/use-view.ts';
import { type Marks, markedParts, marksOf, NO_MARKS } from './marks.ts';

const MarksContext = createContext<Marks>(NO_MARKS);

/** For everything that shows records of the view. */
export function MarksProvider({ children }: { readonly children: ReactNode }) {
  const { resource, q } = useView().view;
  return <MarksContext value={useMemo(() => marksOf(resource, q), [resource, q])}>{children}</MarksContext>;
}

export interface MarkedTextProps {
  readonly field: Field;
  readonly text: string;
}

export function MarkedText({ field, text }: MarkedTextProps) {
  const sought = useContext(MarksContext).get(field.name);
  if (sought === undefined) return text;
  return markedParts(text, sought).map((part) => (part.isMarked ? <mark key={part.at}>{part.text}</mark> : part.text));
}
