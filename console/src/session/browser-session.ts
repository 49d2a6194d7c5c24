/**
 * Begins and ends the session of this browser. Its key is in a cookie that this page cannot read, so what is stored beside it is only its id:
 * that there may be a session, and which one, so that all tabs notice when it changes.
 */

import { Connection } from '@stockbook/client';
import { BrowserStorage } from '../ui/browser-storage.ts';
import { SAME_ORIGIN } from './session.ts';

const NAME = 'stockbook-session';

const storage = new BrowserStorage(() => localStorage);

/** `credential` is a key, or the code of a link. */
export async function startSession(credential: string, isRemembered: boolean): Promise<void> {
  const connection = new Connection({ ...SAME_ORIGIN, key: credential });
  await connection.json({ path: 'session', method: 'POST', body: { remember: isRemembered } });
}

export async function endSession(): Promise<void> {
  await new Connection(SAME_ORIGIN).json({ path: 'session', method: 'DELETE' });
}

/** The id of the session, as far as is known without asking. */
export function knownSession(): string | undefined {
  return storage.get(NAME);
}

export function rememberSession(id: string): void {
  if (storage.get(NAME) !== id) storage.set(NAME, id);
}

/** Unless another one has begun in another tab. */
export function forgetSession(id: string): void {
  if (storage.get(NAME) === id) storage.remove(NAME);
}

/** Calls `act` when another tab has signed in or out, until the function that it returns is called. */
export function onOtherTab(act: () => void): () => void {
  const listener = ({ key }: StorageEvent) => {
    // Null if everything was removed.
    if (key === NAME || key === null) act();
  };
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}

const OLD_NAME = 'stockbook-key';

const oldStorage = new BrowserStorage(() => sessionStorage);

/** The key of this tab, where earlier versions of the console stored it. */
export function keyOfEarlierVersion(): string | undefined {
  return oldStorage.get(OLD_NAME);
}

export function forgetKeyOfEarlierVersion(): void {
  oldStorage.remove(OLD_NAME);
}
