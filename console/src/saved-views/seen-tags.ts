/** The entity tag of each saved view when it was last shown unedited, so that saving it does not overwrite what somebody else has saved since. */

import type { View as SavedView } from '@stockbook/client';

const tags = new Map<string, string>();

export function sawUnchanged({ id, etag }: SavedView): void {
  tags.set(id, etag);
}

export function seenTag({ id, etag }: SavedView): string {
  return tags.get(id) ?? etag;
}
