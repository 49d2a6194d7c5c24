/** The PostgreSQL primary is killed while clients write and read, and its standby is promoted. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { evaluate, onPostgres } from '../support/engines.ts';
import { MixedLoad } from '../support/mixed-load.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { kill, makeFolder, type Serving, serve } from '../support/program.ts';
import { bodyOf, PARTNERS } from '../support/rows.ts';
import { bearer, readiness, send } from '../support/service.ts';

let folder: ReturnType<typeof makeFolder>;
let primary: PostgresServer;
let standby: PostgresServer;
let server: Serving;
let key: string;
let load: MixedLoad;
beforeEach(async () => {
  folder = makeFolder();
  primary = await startPostgres();
  key = await makeKey(primary.url('postgres'));
  await primary.kill('SIGINT');
  standby = await primary.startStandby();
});
afterEach(async () => {
  await kill(server);
  await standby.remove();
  await primary.remove();
  folder.remove();
});

/** Starts the primary, the service and the clients. */
async function start(...settings: readonly string[]): Promise<void> {
  await primary.start(settings);
  const isFollowed = "(SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming') = 1";
  await expect.poll(() => evaluate(primary.url('postgres'), isFollowed)).toBe(true);
  const url = `postgres://stockbook@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
  server = await serve(['--database', url, '--workers', '2'], { folder: folder.path });
  load = new MixedLoad({ port: () => server.port, key });
  await load.progress(50);
}

async function promote(): Promise<void> {
  await onPostgres(standby.url('postgres'), 'SELECT pg_promote()');
  await expect.poll(() => evaluate(standby.url('postgres'), 'pg_is_in_recovery()')).toBe(false);
}

test('with synchronous replication, nothing that was acknowledged is lost', async ({ annotate }) => {
  await start('synchronous_standby_names=*');
  await primary.kill();
  await load.unavailable();
  await promote();
  const promoted = performance.now();
  await load.progress(1);
  const pause = Math.round(performance.now() - promoted);
  await annotate(`${pause} ms from the promotion to the first create`);
  await load.progress(50);
  await load.stop();
  await load.check({ mayLose: true });
});

// test/http/history.slow.test.ts has more of it, without load.
test('with asynchronous replication, nothing of the lost history is honoured', async () => {
  await start();
  const request = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send(server.port, { path, headers: { ...bearer(key), ...headers } });
  const shared = bodyOf(await request(`${PARTNERS}/changes`)).meta.cursor;
  // What the standby lacks would be lost with the primary.
  const written = await evaluate(primary.url('postgres'), 'pg_current_wal_lsn()::text');
  const isReplicated = `(SELECT bool_or(replay_lsn >= '${written}') FROM pg_stat_replication)`;
  await expect.poll(() => evaluate(primary.url('postgres'), isReplicated)).toBe(true);
  await standby.kill('SIGINT');
  await load.progress(50);
  const [list, changes] = [await request(PARTNERS), await request(`${PARTNERS}/changes?since=${shared}&limit=1000`)];
  const [lostTag, lostCursor] = [list.headers['etag'] ?? '', bodyOf(changes).meta.cursor];
  expect(list).toRespond(200);
  await primary.kill();
  await load.unavailable();
  await standby.start();
  await promote();
  await expect.poll(() => readiness(server)).toRespond(200);
  const checkLost = async () => {
    expect(await request(PARTNERS, { 'if-none-match': lostTag })).toRespond(200);
    expect(await request(`${PARTNERS}/changes?since=${lostCursor}`)).toRespond(410);
  };
  await checkLost();
  await load.progress(100);
  await checkLost();
  expect(await request(`${PARTNERS}/changes?since=${shared}`)).toRespond(200);
  await load.stop();
});
