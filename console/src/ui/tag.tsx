/** A word that stands out, beside what it is about. */

import './tag.css';

export function Tag({ children }: { readonly children: string }) {
  return <span className="tag">{children}</span>;
}
