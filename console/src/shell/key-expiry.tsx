/** Says that the key expires soon. */

import { formatTimeUntil } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import './key-expiry.css';

/** In milliseconds. Keys that never last longer, such as those of sign-in links, are not going to be replaced. */
const SHORT_LIFETIME = 24 * 3_600_000;

export default function KeyExpiry() {
  const { me, isExpiring } = useSession();
  const { createdAt, expiresAt } = me.key;
  if (!isExpiring() || expiresAt === null) return null;
  if (Date.parse(expiresAt) - Date.parse(createdAt) <= SHORT_LIFETIME) return null;
  return (
    <p className="key-expiry" role="status" title="An administrator replaces it with stockbook key rotate.">
      Key expires {formatTimeUntil(expiresAt)}
    </p>
  );
}
