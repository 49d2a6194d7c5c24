/**
 * Where a Chromium is: the one that is installed, that of the package `@sparticuz/chromium` on x64, or else Debian's.
 * `STOCKBOOK_TEST_BROWSER` names another one.
 */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Chromium {
  readonly path: string;
  /** A directory with libraries that the system may lack. */
  readonly libraries?: string;
}

export async function findChromium(): Promise<Chromium> {
  const given = process.env['STOCKBOOK_TEST_BROWSER'] ?? (await installedChromium());
  if (given !== undefined) return { path: given };
  if (platform() === 'linux' && arch() === 'x64') return unpackChromium();
  await installChromium();
  const installed = await installedChromium();
  if (installed === undefined)
    throw new Error(
      'Tests need a Chromium: run "apt-get install chromium" as root, or set STOCKBOOK_TEST_BROWSER to one.',
    );
  return { path: installed };
}

const NAMES = ['chromium', 'chromium-headless-shell', 'chromium-browser', 'google-chrome'];

async function installedChromium(): Promise<string | undefined> {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return directories
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find((path) => existsSync(path));
}

/** On Debian, if the tests may install packages there. */
async function installChromium(): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  // Another test file may be doing the same.
  const options = ['--yes', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'];
  const apt = (...args: string[]) => promisify(execFile)('apt-get', [...options, ...args]);
  await apt('update').catch(() => undefined);
  await apt('install', 'chromium-headless-shell');
}

/** Unpacked once, into a directory that has it all or doesn't exist. It is in the checkout, where nobody else can have put another browser. */
async function unpackChromium(): Promise<Chromium> {
  await mkdir(CACHE, { recursive: true });
  const directory = join(CACHE, `chromium-${VERSION}`);
  const unpacked = { path: join(directory, 'chromium'), libraries: join(directory, 'al2023', 'lib') };
  if (existsSync(directory)) return unpacked;
  const partial = await mkdtemp(join(CACHE, 'chromium-partial-'));
  // The package unpacks into the directory for temporary files of its process.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: PACKAGE,
    env: { ...process.env, TMPDIR: partial },
  });
  await rename(partial, directory).catch(async () => {
    // Another process was faster.
    await rm(partial, { recursive: true });
    await access(directory);
  });
  return unpacked;
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
const { version: VERSION } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

const UNPACK = `
  import chromium, { inflate } from '@sparticuz/chromium';
  await chromium.executablePath();
  await inflate('bin/al2023.tar.br');
`;
