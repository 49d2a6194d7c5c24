/**
 * A disk for temporary files that is full: what needs it is refused, all other writes go on, and the space is given back. Nothing is left
 * on it when the program is killed.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { canFailDisks, makeFailingDisk } from '../support/disk-faults.ts';
import { kill, type Serving, serve } from '../support/program.ts';
import { createPartner, PRODUCTS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

/** More than SQLite keeps in memory of a temporary table. */
const MANY = 20_000;
const ROWS = Array.from({ length: MANY }, (_, n) => `{"id":${n + 1},"name":"${String(n).padEnd(400, 'x')}"}\n`);

/** Names of these rows are missing. */
const REJECTED = Array.from(
  { length: 2_000 },
  (_, n) => `{"id":${n + 1},"name":null,"default_code":"${'x'.repeat(400)}"}\n`,
);
const REJECTS = `${PRODUCTS}/import?dry_run=true&on_error=skip`;

async function start(name: string, temporary: string, env: Readonly<Record<string, string>>, flags: readonly string[]) {
  const database = join(folder.path, `${name}.db`);
  const key = await makeKey(database, { scopes: ['read', 'write', 'edit'] });
  const server = await serve(['--database', database, '--workers', '1', ...flags], {
    folder: folder.path,
    env: { ...env, TMPDIR: temporary },
  });
  onTestFinished(() => kill(server).then(() => undefined));
  const headers = { ...bearer(key), 'content-type': 'application/x-ndjson' };
  return {
    server,
    headers,
    load: (rows: readonly string[]) =>
      send(server.port, { method: 'POST', path: `${PRODUCTS}/import`, headers, body: rows.join('') }),
    create: (partner: string) => send(server.port, createPartner(partner, bearer(key))),
  };
}

/** The files in a folder that the program has open, those without a name included. */
function openFiles({ child: { pid } }: Serving, path: string): readonly string[] {
  const descriptors = `/proc/${pid}/fd`;
  return readdirSync(descriptors)
    .map((descriptor) => targetOf(join(descriptors, descriptor)))
    .filter((target) => target.startsWith(`${path}/`));
}

/** It may have been closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

describe.runIf(canFailDisks)('on a disk that is full', () => {
  test('large imports are a 503, everything else is written, and nothing is held afterwards', async () => {
    const temporary = join(folder.path, 'full');
    mkdirSync(temporary);
    const disk = makeFailingDisk(folder.path, temporary);
    const { server, load, create } = await start('full', temporary, disk.env, []);
    expect(await load(ROWS)).toRespond(200);
    expect(openFiles(server, temporary)).toEqual([]);
    disk.fail('ENOSPC');
    for (let round = 0; round < 2; round += 1) {
      expect(await load(ROWS)).toRespond(503, { code: 'store_exhausted' });
      // A transaction of many creates, which writes to many pages.
      const created = await Promise.all(Array.from({ length: 100 }, (_, n) => create(`${round} ${n} of many`)));
      expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
      expect(await load(ROWS.slice(0, 400))).toRespond(200);
      expect(openFiles(server, temporary)).toEqual([]);
    }
    const { stderr } = server.output();
    expect(stderr).toContain(`the disk that holds temporary files in ${temporary} is full`);
    expect(stderr).not.toContain('full.db is full');
    disk.recover();
    expect(await load(ROWS)).toRespond(200);
  });
});

describe.runIf(process.platform === 'linux')('rejected rows', () => {
  test.runIf(canFailDisks)('are a 503 on a disk that is full', async () => {
    const temporary = join(folder.path, 'rejects');
    mkdirSync(temporary);
    const disk = makeFailingDisk(folder.path, temporary);
    const { server, headers } = await start('rejects', temporary, disk.env, []);
    const find = () =>
      send(server.port, {
        method: 'POST',
        path: REJECTS,
        headers: { ...headers, accept: 'application/x-ndjson' },
        body: REJECTED.join(''),
      });
    disk.fail('ENOSPC');
    expect(await find()).toRespond(503, {
      code: 'store_exhausted',
      detail: expect.stringContaining('temporary files'),
    });
    await expect
      .poll(() => server.output().stderr)
      .toContain(`the disk that holds temporary files in ${temporary} is full`);
    disk.recover();
    expect(await find()).toMatchObject({ status: 200, text: REJECTED.join('') });
    await expect.poll(() => openFiles(server, temporary)).toEqual([]);
  });

  test('are gone when the program is killed', async () => {
    const temporary = join(folder.path, 'killed');
    mkdirSync(temporary);
    const { server, headers } = await start('killed', temporary, {}, []);
    const sent = request({
      port: server.port,
      method: 'POST',
      path: REJECTS,
      headers: { ...headers, accept: 'application/x-ndjson' },
    });
    sent.on('error', () => undefined);
    sent.write(REJECTED.join(''));
    // It has a name for as long as it takes to open it.
    await expect.poll(() => openFiles(server, temporary)).toEqual([expect.stringMatching(/ \(deleted\)$/)]);
    server.child.kill('SIGKILL');
    await server.finished;
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('of a program that was killed while it made their file are removed at the next start', async () => {
    const temporary = join(folder.path, 'leftovers');
    mkdirSync(temporary);
    const { pid } = spawnSync('true');
    const [gone, running] = [pid, process.pid].map(
      (owner) => `stockbook-${owner}-0b54b8a0-7dcb-4a11-9a3e-3f1f0a2d6c55`,
    );
    for (const name of [gone, running, 'stockbook-notes']) writeFileSync(join(temporary, String(name)), 'x');
    await start('leftovers', temporary, {}, []);
    expect(readdirSync(temporary).toSorted()).toEqual([String(running), 'stockbook-notes'].toSorted());
  });
});

test.runIf(canMount())('the reserve of free disk is kept for temporary files, too', async () => {
  const temporary = join(folder.path, 'small');
  mkdirSync(temporary);
  mount(temporary);
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', temporary]);
  });
  const { server, load, create } = await start('small', temporary, {}, ['--min-free-disk', '4']);
  expect(await load(ROWS)).toRespond(503, { code: 'store_exhausted' });
  await expect
    .poll(() => server.output().stderr)
    .toMatch(/Only [45] MB are free on the disk that holds temporary files in .*small/);
  expect(await create('A')).toRespond(201);
  // More than could be read at the same time, in case that something is left of each.
  for (let round = 0; round < 60; round += 1) expect(await load(ROWS.slice(0, 4_000))).toRespond(503);
  expect(await load(ROWS.slice(0, 400))).toRespond(200);
});

/** Only root may. */
function canMount(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', ['--mount', 'true']).status === 0;
}

function mount(path: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'none', path]);
  if (status !== 0) throw new Error(String(stderr));
}
