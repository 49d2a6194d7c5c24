/** The OpenAPI document: complete, valid by strict rules, and with examples that are true. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { examples } from '../../src/openapi/examples.ts';
import { registry } from '../../src/problem/registry.ts';
import { apiPaths } from '../../src/request/route.ts';
import { version } from '../../src/version.ts';
import { recordExamples } from '../../tools/openapi/record-examples.ts';
import { aboveStore } from '../support/above-store.ts';
import { commands } from '../support/commands.ts';
import { makeFolder } from '../support/program.ts';
import { sharedService } from '../support/shared.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const document = openApiDocument(version(), builtInCatalog);

test('it passes the strict rules of Redocly', () => {
  const folder = makeFolder();
  try {
    const file = join(folder.path, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const program = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
    const lint = spawnSync(process.execPath, [program, 'lint', file, '--config', join(ROOT, 'redocly.yaml')], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
    });
    expect({ status: lint.status, output: lint.status === 0 ? '' : lint.stdout + lint.stderr }).toEqual({
      status: 0,
      output: '',
    });
  } finally {
    folder.remove();
  }
});

test('it has every route of the API', () => {
  for (const { path, methods } of apiPaths)
    for (const method of Object.keys(methods).filter((name) => name !== 'QUERY'))
      expect(Object(document)['paths'][path]).toHaveProperty(method.toLowerCase());
});

test('the content of a success has one media type, so that generated clients know what it is', () => {
  const operations = Object.values<Record<string, { responses: Record<string, { content?: object }> }>>(
    Object(document)['paths'],
  ).flatMap((item) => Object.entries(item).flatMap(([name, one]) => (name === 'parameters' ? [] : [one])));
  for (const { responses } of operations)
    for (const [status, { content }] of Object.entries(responses))
      if (status.startsWith('2') && content !== undefined) expect(Object.keys(content)).toHaveLength(1);
});

test('of every object something is said, or generated clients could neither read nor write any member', () => {
  const empty: string[] = [];
  const search = (json: unknown, path: string) => {
    if (typeof json !== 'object' || json === null) return;
    if ('type' in json && json.type === 'object' && !('properties' in json || 'additionalProperties' in json))
      empty.push(path);
    for (const [name, value] of Object.entries(json)) search(value, `${path}/${name}`);
  };
  search(document, '');
  expect(empty).toEqual([]);
});

test('rows of an import have the fields of their resource', () => {
  const { schemas } = Object(document)['components'];
  for (const { name, path, fields } of builtInCatalog.resources) {
    const row = `${name.charAt(0).toUpperCase()}${name.slice(1)}Row`;
    const { requestBody } = Object(document)['paths'][`/api/v1/${path}/import`].post;
    expect(requestBody.content['application/json'].schema.items).toEqual({ $ref: `#/components/schemas/${row}` });
    expect(Object.keys(schemas[row].properties)).toEqual([...fields.map((field) => field.name), 'removed']);
    expect(schemas[row]).toMatchObject({ additionalProperties: true });
    expect(schemas[row]).not.toHaveProperty('required');
  }
});

test('ids of records are integers, also in paths, and explain is a boolean', () => {
  for (const { path } of apiPaths.filter((one) => one.path.endsWith('/{id}') && one.methods['PATCH'] !== undefined))
    expect(Object(document)['paths'][path].parameters).toMatchObject([{ name: 'id', schema: { type: 'integer' } }]);
  const { parameters } = Object(document)['paths']['/api/v1/inventory/product'].get;
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'explain', schema: { type: 'boolean', default: false } }),
  );
});

test('it has every problem that a request for something that exists can have', () => {
  const text = JSON.stringify({ ...document, components: { responses: Object(document)['components'].responses } });
  // A tool call that fails is a success of the protocol.
  const others = ['method_not_allowed', 'invalid_arguments', 'result_too_large'];
  for (const code of Object.keys(registry).filter((name) => !others.includes(name)))
    expect(text).toContain(`/problems/${code})`);
});

test('its examples are the responses of the demo', async () => {
  expect(await recordExamples()).toEqual(examples);
});

test('stockbook openapi prints it', async () => {
  const folder = makeFolder();
  try {
    const { code, stdout } = await commands.run(['openapi'], { folder: folder.path });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(document)));
  } finally {
    folder.remove();
  }
});

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test('GET /openapi.json needs no key', async () => {
    const request = { path: '/openapi.json', headers: { authorization: undefined } };
    const reply = await service.send(request);
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'public, no-cache' },
    });
    expect(reply.json).toEqual(JSON.parse(JSON.stringify(document)));
    const again = await service.send({ ...request, headers: { 'if-none-match': reply.headers['etag'] } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
  });
});
