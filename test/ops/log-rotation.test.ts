/** Rotating the log of the real program with logrotate, as `ops/` configures it. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { childrenOf, kill, makeFolder, serve } from '../support/program.ts';
import { sendUnchecked } from '../support/service.ts';
import { hasLogrotate, runTool } from '../support/tools.ts';

const CONFIGURATION = fileURLToPath(new URL('../../ops/stockbook.logrotate', import.meta.url));

test.skipIf(!hasLogrotate)('no line is lost or mixed, and no file is left with a gap', async () => {
  const folder = makeFolder();
  onTestFinished(folder.remove);
  const log = join(folder.path, 'stockbook.log');
  const configuration = join(folder.path, 'logrotate.conf');
  writeFileSync(
    configuration,
    readFileSync(CONFIGURATION, 'utf8').replace('/var/log/stockbook/*.log', join(folder.path, '*.log')),
    { mode: 0o644 },
  );
  const server = await serve(['--workers', '2'], {
    folder: folder.path,
    prefix: ['sh', '-c', `exec "$@" 2>> '${log}'`, 'sh'],
  });
  onTestFinished(async () => {
    await kill(server);
  });
  expect(childrenOf(server)).toHaveLength(2);

  const linesIn = (name: string) =>
    readFileSync(join(folder.path, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => Object(JSON.parse(line)));
  const ids = (name: string) => linesIn(name).flatMap(({ requestId }) => requestId ?? []);
  for (const round of [1, 2, 3]) {
    const sent = Array.from({ length: 10 }, (_, n) => `request-${round}-${n}`);
    for (const id of sent) await sendUnchecked(server.port, { path: '/api/v1/me', headers: { 'x-request-id': id } });
    await expect.poll(() => ids('stockbook.log').toSorted()).toEqual(sent.toSorted());
    const rotated = runTool('logrotate', ['--force', '--state', join(folder.path, 'state'), configuration]);
    expect(rotated).toEqual({ code: 0, output: '' });
    expect(readFileSync(log, 'utf8')).toBe('');
    expect(ids('stockbook.log.1').toSorted()).toEqual(sent.toSorted());
  }
  expect(
    readdirSync(folder.path)
      .filter((name) => name.startsWith('stockbook.log'))
      .toSorted(),
  ).toEqual(['stockbook.log', 'stockbook.log.1', 'stockbook.log.2.gz', 'stockbook.log.3.gz']);
});
