#!/usr/bin/env node
// Plain JavaScript that any Node reads: an older one hands over to the Node that npm installed, or says what is missing.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from './compile-cache.js';

// Without a listener, the signal opens Node's debugger, through which anything can be executed.
process.on('SIGUSR1', () => {});

// From 24.16 on, Node's SQLite writes every number so that it reads back exactly.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 24 || (major === 24 && minor >= 16)) await start();
else handOver();

async function start() {
  // Keeps what was compiled, TypeScript included, for the next start. Threads do so only if the environment says where. If an operator says so, Node
  // has done it already.
  const directory = process.env.NODE_COMPILE_CACHE ? undefined : compileCache();
  if (directory !== undefined && module.enableCompileCache(directory).directory !== undefined)
    process.env.NODE_COMPILE_CACHE = directory;
  // A checkout runs its TypeScript as it is; the published package has it compiled.
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const { run } = await import(existsSync(source) ? source.href : '../dist/cli/main.js');
  process.exitCode = await run(process.argv);
}

function handOver() {
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(`stockbook: this is Node ${process.versions.node}; Stockbook needs 24.16 or later.\n`);
    process.exit(2);
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

function installedNode() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  } catch {
    return undefined;
  }
}
