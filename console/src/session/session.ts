/** Who is signed in, and how the rest of the console reaches the account. */

import { Connection, type Me, Stockbook, type StockbookOptions } from '@stockbook/client';
import { createContext, useContext } from 'react';
import { Exchanges } from '../data/exchanges.ts';

export interface Session {
  readonly me: Me;
  readonly stockbook: Stockbook;
  readonly connection: Connection;
  readonly exchanges: Exchanges;
  /** When the key expires that somebody signed in with, if the service has said that it does soon. */
  readonly keyExpiry: () => Date | undefined;
  /** Ends the session, in all tabs. Rejects if the service does not respond: then it goes on. */
  readonly signOut: () => Promise<void>;
  /** The service has said that the session has ended. The reason is shown where somebody signs in again. */
  readonly onEnded: (reason: string) => void;
}

/**
 * The browser adds the key of the session, which is in a cookie that no script can read. The header proves that the console sends the request:
 * pages of other origins cannot.
 */
export const SAME_ORIGIN: StockbookOptions = {
  url: location.origin,
  headers: { 'stockbook-console': location.protocol.replace(':', '') },
  // TanStack Query repeats what failed, so that the console can show that it does.
  retries: 0,
};

export function connect(): Pick<Session, 'exchanges' | 'stockbook' | 'connection' | 'keyExpiry'> {
  const exchanges = new Exchanges();
  let expiry: Date | undefined;
  const onKeyExpiring = (expiresAt: Date) => {
    expiry = expiresAt;
  };
  const options = { ...SAME_ORIGIN, fetch: exchanges.fetch, onKeyExpiring };
  return {
    exchanges,
    stockbook: new Stockbook(options),
    connection: new Connection(options),
    keyExpiry: () => expiry,
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('nobody is signed in');
  return session;
}
