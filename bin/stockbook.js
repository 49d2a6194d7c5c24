#!/usr/bin/env node
// Plain JavaScript that any Node reads, so that an old one can be told what is missing.
import { existsSync } from 'node:fs';
import module from 'node:module';

// From 24.16 on, Node's SQLite writes every number so that it reads back exactly.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
  process.stderr.write(
    `stockbook: this is Node ${process.versions.node}, and Stockbook needs 24.16 or later. ` +
      'Where npm installed it, "npx stockbook" finds the right one.\n',
  );
  process.exit(2);
}

// Keeps what was compiled, TypeScript included, for the next start.
module.enableCompileCache();

// A checkout runs its TypeScript as it is; the published package has it compiled.
const source = new URL('../src/cli/main.ts', import.meta.url);
const { run } = await import(existsSync(source) ? source.href : '../dist/cli/main.js');
process.exitCode = await run(process.argv);
