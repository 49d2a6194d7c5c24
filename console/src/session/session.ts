/** Who is signed in, and how the rest of the console reaches the account. */

import { Connection, type Me, Stockbook } from '@stockbook/client';
import { createContext, useContext } from 'react';
import { Exchanges } from '../data/exchanges.ts';

export interface Session {
  readonly key: string;
  readonly me: Me;
  readonly stockbook: Stockbook;
  readonly connection: Connection;
  readonly exchanges: Exchanges;
  /** Whether the service has said that the key expires soon. */
  readonly isExpiring: () => boolean;
  /** Forgets the key. The reason is shown where the next key is asked for. */
  readonly signOut: (reason?: string) => void;
}

/** TanStack Query repeats what failed, so that the console can show that it does. */
const RETRIES = 0;

export function connect(key: string): Omit<Session, 'me' | 'signOut'> {
  const exchanges = new Exchanges();
  let isExpiring = false;
  const onKeyExpiring = () => {
    isExpiring = true;
  };
  const options = { url: location.origin, key, retries: RETRIES, fetch: exchanges.fetch, onKeyExpiring };
  return {
    key,
    exchanges,
    stockbook: new Stockbook(options),
    connection: new Connection(options),
    isExpiring: () => isExpiring,
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in');
  return session;
}
