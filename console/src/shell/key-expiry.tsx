/** Says that the key expires soon. */

import { formatTimeUntil } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import './key-expiry.css';

export default function KeyExpiry() {
  const expiry = useSession().keyExpiry();
  if (expiry === undefined) return null;
  return (
    <p className="key-expiry" role="status" title="An administrator replaces it with stockbook key rotate.">
      Key expires {formatTimeUntil(expiry.toISOString())}
    </p>
  );
}
