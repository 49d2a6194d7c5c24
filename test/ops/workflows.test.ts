/** The workflows of the repository run what contributors can run as well: scripts that exist. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

describe.each(workflows)('%s', (file) => {
  const workflow: Workflow = parse(readFileSync(join(root, file), 'utf8'));
  const jobs = Object.values(workflow.jobs);

  test('has no more permissions than it names, and no job without end', () => {
    expect(workflow.permissions).toBeTypeOf('object');
    expect(jobs.map((job) => job['timeout-minutes'])).not.toContain(undefined);
  });

  test('runs scripts of the repository, and installs with npm ci', () => {
    const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const unknown = commands.filter((command) => {
      const [, script] = /^npm run ([\w:]+)/.exec(command) ?? [];
      return command !== '.ci/run' && command !== 'npm ci' && (script === undefined || scripts[script] === undefined);
    });
    expect(commands).not.toEqual([]);
    expect(unknown).toEqual([]);
  });
});
