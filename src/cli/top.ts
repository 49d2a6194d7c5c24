/** stockbook top */

import { Command } from 'commander';
import type { Status } from '../observe/admin/status.ts';
import { systemClock } from '../schedule/clock.ts';
import { Deadline } from '../schedule/deadline.ts';
import { InvalidSetting, rawSetting, readSetting } from '../settings/read.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import { CommandError } from './command-error.ts';
import { wrapped } from './fitted-table.ts';
import { isStatus } from './is-status.ts';
import { LiveScreen } from './live-screen.ts';
import { printResult } from './output.ts';
import { isSortKey, type SortKey, sortKeys, topLines } from './top-lines.ts';

/** How often the view is refreshed, in milliseconds. */
const INTERVAL = 1_000;

/** How long the service may take to respond, in milliseconds. */
const TIMEOUT = 5_000;

/** The largest response that is read, in bytes. That of a service has fewer than 100,000. */
const MAX_BODY = 4 * 1024 * 1024;

interface TopOptions {
  readonly adminUrl?: string;
  readonly once?: true;
}

export function topCommand(): Command {
  return new Command('top')
    .description('show who uses a running service: accounts, keys, request rates, revisions and the slowest filters')
    .option(
      '--admin-url <URL>',
      'the admin address of the service (default: http://127.0.0.1:8081, or that of STOCKBOOK_ADMIN_HOST and STOCKBOOK_ADMIN_PORT)',
    )
    .option('--once', 'print the current state and exit, as without a terminal')
    .action(async ({ adminUrl, once }: TopOptions) => {
      const url = statusUrl(adminUrl ?? defaultUrl());
      if (once === true || process.stdout.isTTY !== true) {
        printResult(...topLines(await fetchStatus(url), 'r'));
      } else {
        await showLive(url);
      }
    });
}

/** Until the user ends it. A service that is restarted meanwhile is waited for. */
async function showLive(url: URL): Promise<void> {
  // Before the screen is cleared: the first error ends the command.
  let status = await fetchStatus(url);
  let sortKey: SortKey = 'r';
  let note = '';
  const draw = () =>
    screen.draw((size) => [...topLines(status, sortKey, size), '', ...wrapped(note || help(), size.columns)]);
  const screen = new LiveScreen({
    onKey(key) {
      if (isSortKey(key)) sortKey = key;
      draw();
    },
    onResize: () => draw(),
  });
  try {
    while (!screen.ended.aborted) {
      draw();
      await systemClock.pause(INTERVAL, screen.ended);
      try {
        status = await fetchStatus(url);
        note = '';
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        note = error.message;
      }
    }
  } finally {
    screen.close();
  }
}

function help(): string {
  const keys = Object.entries(sortKeys).map(([key, { title }]) => `${key} ${title}`);
  return `Sort by: ${keys.join(', ')}.  q quits.`;
}

/** Where a service with the same environment has its admin address. */
function defaultUrl(): string {
  const host = settingOf('admin-host');
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${settingOf('admin-port')}`;
}

function settingOf<Name extends SettingName>(name: Name): Settings[Name] {
  const value = readSetting(name, rawSetting(name, {}, process.env));
  if (value instanceof InvalidSetting) throw new CommandError(value.message, 2);
  return value;
}

function statusUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL('/status', text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new CommandError(`--admin-url must be a URL such as http://127.0.0.1:8081, not "${text}".`, 2);
  return url;
}

async function fetchStatus(url: URL): Promise<Status> {
  const deadline = new Deadline(TIMEOUT);
  const response = await fetch(url, { signal: deadline.signal, redirect: 'manual' }).catch(() => undefined);
  if (response === undefined)
    throw new CommandError(
      `No service answers at ${url.origin}. Start one with "stockbook serve", or name its admin address with --admin-url.`,
    );
  const status = await readJson(response).finally(() => deadline.end());
  if (response.status !== 200 || !isStatus(status))
    throw new CommandError(
      `${url.origin} is not the admin address of a Stockbook service: /status is ${response.status === 200 ? 'something else' : `a ${response.status}`}. Name it with --admin-url.`,
    );
  return status;
}

/** Undefined if it is not JSON, too long, or not complete in time. */
async function readJson({ body }: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length;
      // Leaving the loop cancels the rest.
      if (length > MAX_BODY) return undefined;
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
