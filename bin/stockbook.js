#!/usr/bin/env node
// Plain JavaScript that any Node reads: an older one says what is missing.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { compileCache } from './compile-cache.js';
import { supportedVersions, supportsNode } from './supports-node.js';

// Without a listener, the signal opens Node's debugger, through which anything can be executed.
process.on('SIGUSR1', () => {});

// A checkout runs its TypeScript as it is; the published package has it compiled.
const source = new URL('../src/cli/main.ts', import.meta.url);
const isCheckout = existsSync(source);

if (supportsNode(process.versions.node)) {
  // Keeps what was compiled, TypeScript included, for the next start. Threads do so only if the environment says where. If an operator says so, Node
  // has done it already.
  const directory = process.env.NODE_COMPILE_CACHE ? undefined : compileCache();
  if (directory !== undefined && module.enableCompileCache(directory).directory !== undefined)
    process.env.NODE_COMPILE_CACHE = directory;
  const { run } = await import(isCheckout ? source.href : '../dist/cli/main.js');
  process.exitCode = await run(process.argv);
} else {
  const advice = isCheckout ? ' "npx stockbook" uses the one that "npm ci" has installed.' : '';
  process.stderr.write(
    `stockbook: this is Node ${process.versions.node}; Stockbook needs Node ${supportedVersions}.${advice}\n`,
  );
  process.exitCode = 2;
}
