/**
 * What a process takes in memory, seen from outside. Test files share their process with others, so what is measured runs in one of its own, which does
 * nothing else.
 */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Finished, type Running, type RunOptions, type Serving, serve } from './program.ts';

const PROBE = fileURLToPath(new URL('./memory-probe.ts', import.meta.url));

export interface Memory {
  /** What it has in memory now, in bytes. */
  readonly resident: number;
  /** The most that it has had. */
  readonly peak: number;
}

/** Undefined if the process has exited, and on systems other than Linux. */
export function memoryOf(pid: number | undefined): Memory | undefined {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return undefined;
  const status = readStatus(path);
  const bytesOf = (name: string) => {
    const [, kibibytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  };
  const [resident, peak] = [bytesOf('VmRSS'), bytesOf('VmHWM')];
  return resident === undefined || peak === undefined ? undefined : { resident, peak };
}

/** It may exit at any time. */
function readStatus(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What a program prints, and the most memory that it had in bytes: undefined on systems other than Linux. */
export async function peakMemory({ child, finished }: Running): Promise<{ peak: number | undefined } & Finished> {
  let peak: number | undefined;
  const timer = setInterval(() => {
    peak = memoryOf(child.pid)?.peak ?? peak;
  }, 20);
  const result = await finished;
  clearInterval(timer);
  return { peak, ...result };
}

export interface MeasuredService extends Serving {
  /** The size of all buffers of its serving thread that are in use, in bytes. */
  bufferedBytes(): Promise<number>;
}

/** The service, in a process that says what it buffers. */
export async function serveMeasured(args: readonly string[], options: RunOptions): Promise<MeasuredService> {
  const file = join(options.folder, 'memory.json');
  const env = { ...options.env, NODE_OPTIONS: `--import ${PROBE}`, MEMORY_PROBE: file };
  const server = await serve(args, { ...options, env });
  return {
    ...server,
    async bufferedBytes() {
      rmSync(file, { force: true });
      server.child.kill('SIGUSR2');
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}')).toBe(true);
      return JSON.parse(readFileSync(file, 'utf8')).buffered;
    },
  };
}
