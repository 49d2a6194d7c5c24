/** Sessions in the cache. */

import { describe, expect, test } from 'vitest';
import { issueKey, newKey } from '../../src/access/issue-key.ts';
import { Sessions } from '../../src/access/sessions.ts';
import { DEFAULT_SCOPES } from '../../src/catalog/scopes.ts';
import { FailedAttempts } from '../../src/limits/failed-attempts.ts';
import { TokenBuckets } from '../../src/limits/token-buckets.ts';
import { Problem } from '../../src/problem/problem.ts';
import { readTarget } from '../../src/request/target.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, NOW } from '../support/fixture.ts';
import { sharedStore } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('an account with many credentials displaces only its own sessions', async () => {
    const { store } = opened;
    const budget = new CacheBudget(40_000);
    const failedAttempts = new FailedAttempts(
      0,
      new TokenBuckets(),
      { ...store, domain: 'localhost' },
      () => undefined,
    );
    const sessions = new Sessions({ keys: store.keys, domain: 'localhost', budget, failedAttempts });
    const keyOf = async (name: string) => {
      const account = await addAccount(store, name);
      return issueKey(store.keys, {
        account: account.id,
        name: 'key',
        scopes: DEFAULT_SCOPES,
        createdAt: NOW,
        expiresAt: null,
      });
    };
    const [one, other] = [await keyOf('one'), await keyOf('other')];
    const headers = (key: string, host = 'localhost') => ({ host, authorization: `Bearer ${key}` });
    const grant = async (key: string, host?: string) => {
      const session = await sessions.grant({
        id: 'r',
        address: '127.0.0.1',
        target: readTarget('/'),
        headers: headers(key, host),
      });
      if (session instanceof Problem) throw new Error(session.detail);
    };
    await grant(other);
    // Under the local domain any host is accepted, so one key has many credentials.
    for (let n = 0; n < 100; n += 1) await grant(one, `host-${n}`);
    expect(sessions.cached({ headers: headers(one, 'host-99') })).toBeDefined();
    expect(sessions.cached({ headers: headers(one, 'host-0') })).toBeUndefined();
    expect(sessions.cached({ headers: headers(other) })).toBeDefined();
    expect(budget.bytes).toBeLessThanOrEqual(40_000);
  });
  test('a request is one lookup, whoever else wants to know who sends it', async () => {
    const { store } = opened;
    const budget = new CacheBudget(40_000);
    const failedAttempts = new FailedAttempts(
      0,
      new TokenBuckets(),
      { ...store, domain: 'localhost' },
      () => undefined,
    );
    const sessions = new Sessions({ keys: store.keys, domain: 'localhost', budget, failedAttempts });
    const account = await addAccount(store, 'counted');
    const key = await issueKey(store.keys, {
      account: account.id,
      name: 'key',
      scopes: DEFAULT_SCOPES,
      createdAt: NOW,
      expiresAt: null,
    });
    const headers = { host: 'localhost', authorization: `Bearer ${key}` };
    const request = { id: 'r', address: '127.0.0.1', target: readTarget('/'), headers };
    expect(sessions.callerOf(request)).not.toBe(account.id);
    expect(sessions.cached(request)).toBeUndefined();
    await sessions.grant(request);
    expect(budget.lookupsOf('sessions')).toEqual({ hits: 0, misses: 1 });
    expect(sessions.callerOf(request)).toBe(account.id);
    expect(sessions.cached(request)).toBeDefined();
    expect(budget.lookupsOf('sessions')).toEqual({ hits: 1, misses: 1 });
  });

  test('what a client sends is never taken for the session of a cookie', async () => {
    const { store } = opened;
    const budget = new CacheBudget(40_000);
    const known = { ...store, domain: 'localhost' };
    const failedAttempts = new FailedAttempts(0, new TokenBuckets(), known, () => undefined);
    const sessions = new Sessions({ keys: store.keys, domain: 'localhost', budget, failedAttempts });
    const { id: account } = await addAccount(store, 'cookies');
    const terms = { account, scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null };
    const own = newKey({ ...terms, name: 'own' });
    await store.keys.add(own.key);
    const { key, text } = newKey({ ...terms, name: 'session', expiresAt: '9999-01-01T00:00:00.000Z' });
    await store.keys.startSession({ ...key, sessionOf: own.key.id }, { name: 'a', origin: 'b' });
    const request = { id: 'r', address: '127.0.0.1', target: readTarget('/api/v1/me'), headers: { host: 'localhost' } };
    expect(await sessions.grant({ ...request, sessionKey: text })).toMatchObject({ keyId: key.id });
    for (const authorization of [text, `Bearer ${text}`, `Cookie ${text}`, `Basic ${btoa(`x:${text}`)}`, undefined]) {
      const alone = { ...request, headers: { host: 'localhost', authorization } };
      expect(sessions.cached(alone)).toBeUndefined();
      expect(sessions.callerOf(alone)).toBe('others');
      expect(await sessions.grant(alone)).toBeInstanceOf(Problem);
    }
  });
});
