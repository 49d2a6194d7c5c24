/** What is shown until it is known who is signed in. */

import './resuming.css';

export function Resuming() {
  return (
    <main className="resuming">
      <p role="status">Signing in…</p>
    </main>
  );
}
