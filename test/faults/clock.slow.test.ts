/** The clock of the machine is set back, or forward, while the program runs. Only what is about dates may depend on it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send, type TestRequest } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const CLOCK = fileURLToPath(new URL('../support/shifted-clock.ts', import.meta.url));
const HOUR = 3_600_000;

describe.each(engines)('on $name', (engine) => {
  const folder = sharedFolder();
  const shift = join(folder.path, 'shift');
  let database: TestDatabase;
  let server: Serving;
  let key: string;
  let temporary: string;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    key = await makeKey(database.url);
    const expiresAt = new Date(Date.now() + 2 * HOUR).toISOString();
    temporary = await makeKey(database.url, { name: 'temporary', expiresAt });
    const env = { NODE_OPTIONS: `--import ${CLOCK}`, SHIFTED_CLOCK: shift };
    server = await serve(['--database', database.url, '--rate-limit', '20'], { folder: folder.path, env });
  });
  afterAll(async () => {
    await kill(server);
    await database.drop();
  });

  const setClock = (hours: number) => writeFileSync(shift, String(hours * HOUR));
  /** Retried while the rate limit is exceeded, which must end, whatever the clock says. */
  const request = async ({ headers, ...rest }: TestRequest, as = key) => {
    for (;;) {
      const reply = await send(server.port, { ...rest, headers: { ...bearer(as), ...headers } });
      if (reply.status !== 429) return reply;
    }
  };
  const status = async (as = key) => (await request({ path: PARTNERS }, as)).status;
  const writeDate = async (id: number) =>
    Date.parse(bodyOf(await request({ path: `${PARTNERS}/${id}?fields=write_date` })).data.write_date);

  test('set back by a day, nothing is missed, repeated or allowed again', async () => {
    setClock(0);
    const create = (name: string) => request(createPartner(name, { 'idempotency-key': name }));
    expect(await create('first')).toRespond(201, { data: { id: 1 } });
    const list = await request({ path: PARTNERS });
    const { cursor } = bodyOf(await request({ path: `${PARTNERS}/changes` })).meta;
    const revoked = await makeKey(database.url, { name: 'revoked' });
    expect(await status(revoked)).toBe(200);
    await run(['key', 'revoke', revoked.split('_')[1] ?? '', '--database', database.url], { folder: folder.path });
    expect(await status(revoked)).toBe(401);

    setClock(-24);
    expect(await status(revoked)).toBe(401);
    // The session, the idempotency key, the entity tag and the cursor hold.
    expect(await create('first')).toRespond(201, { data: { id: 1 } });
    const unchanged = await request({ path: PARTNERS, headers: { 'if-none-match': list.headers['etag'] ?? '' } });
    expect(unchanged).toRespond(304);
    expect(await create('second')).toRespond(201, { data: { id: 2 } });
    expect(await writeDate(2)).toBeLessThan(await writeDate(1));
    const changes = await request({ path: `${PARTNERS}/changes?since=${cursor}` });
    expect(bodyOf(changes).data).toMatchObject([{ name: 'second' }]);
    expect(await request({ path: PARTNERS, headers: { 'if-none-match': list.headers['etag'] ?? '' } })).toRespond(200);
    // The deadline of a request that waits does not depend on the clock.
    const waited = request({
      path: `${PARTNERS}/changes?since=${bodyOf(changes).meta.cursor}`,
      headers: { prefer: 'wait=1' },
    });
    setClock(-48);
    expect(await waited).toRespond(200, { data: [] });
    setClock(0);
    expect(await create('second')).toRespond(201, { data: { id: 2 } });
  });

  test('a key expires when the clock says so', async () => {
    setClock(0);
    expect(await status(temporary)).toBe(200);
    setClock(3);
    expect(await status(temporary)).toBe(401);
    expect(await status()).toBe(200);
    setClock(-24);
    expect(await status(temporary)).toBe(200);
  });
});
