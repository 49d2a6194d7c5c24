/** A point in time: how long ago it was if that is recent, else its day. Its tooltip has all of it. */

import { useNow } from './use-now.ts';
import { formatExactTime, formatMoment } from './values.ts';

export function RecentTime({ timestamp }: { readonly timestamp: string }) {
  return (
    <time dateTime={timestamp} title={formatExactTime(timestamp)}>
      {formatMoment(timestamp, useNow())}
    </time>
  );
}
