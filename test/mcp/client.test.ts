/** The official client works, whichever version of the protocol it speaks. */

import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { toolsOf } from '../../src/mcp/tools.ts';
import { aboveStore } from '../support/above-store.ts';
import { connectClient, negotiations } from '../support/mcp.ts';
import { sharedService } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  describe.each(negotiations)('with $title', ({ title, mode, version }) => {
    let client: Client;
    beforeAll(async () => {
      client = await connectClient(service.port, service.key, mode);
    });
    afterAll(() => client.close());

    const call = async (name: string, given: Record<string, unknown>) => {
      const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: given });
      const [block] = content;
      return { isError, text: block?.type === 'text' ? block.text : '', structured: structuredContent };
    };

    test('knows the server', () => {
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      expect(client.getServerVersion()).toMatchObject({ name: 'stockbook', version: expect.stringMatching(/^\d/) });
      expect(client.getServerCapabilities()).toEqual({ tools: {} });
      expect(client.getInstructions()).toContain('describe');
    });

    test('lists the tools', async () => {
      const { tools: listed } = await client.listTools();
      expect(listed.map(({ name }) => name)).toEqual(toolsOf(builtInCatalog).map(({ name }) => name));
    });

    test('describes, queries, gets, aggregates, follows changes and creates', async () => {
      expect((await call('describe', { resource: 'product' })).text).toContain(
        '- list_price "Sales price" (number): sales price',
      );
      const found = await call('query', { resource: 'product', filter: 'name*oak', fields: 'id,name' });
      expect(found.structured).toMatchObject({
        total: 2,
        data: [
          { id: 1, name: 'Oak Chair' },
          { id: 3, name: 'oak table' },
        ],
      });
      expect((await call('get', { resource: 'product', id: 2, fields: 'name' })).structured).toMatchObject({
        data: { name: 'Steel Desk' },
      });
      expect(
        (await call('aggregate', { resource: 'product', filter: 'id<=2', measures: 'sum(list_price)' })).structured,
      ).toMatchObject({ total: 2, data: { measures: { 'sum(list_price)': 540.5 } } });
      expect((await call('changes', { resource: 'company', limit: 1 })).structured).toMatchObject({ shown: 1 });
      const created = await call('create_partner', { name: `Created by ${title}` });
      expect(created.text).toMatch(/^Created the partner with the id \d+\.$/);
      expect(
        (await call('query', { resource: 'partner', filter: `name="Created by ${title}"` })).structured,
      ).toMatchObject({ total: 1 });
    });

    test('gets errors that a model can act on', async () => {
      const failed = await call('query', { resource: 'product', filter: 'active=true&list_prize>5' });
      expect(failed).toEqual({
        isError: true,
        structured: undefined,
        text: [
          "unknown_field (400): product has no field 'list_prize'.",
          'Argument: filter, column 13',
          'Did you mean list_price?',
          'Call instead: query {"resource":"product","filter":"active=true&list_price>5"}',
        ].join('\n'),
      });
    });

    test('is told about a tool that does not exist', async () => {
      await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toThrow(/Unknown tool/);
    });
  });

  test('a key that is not accepted is an HTTP error', async () => {
    for (const { mode } of negotiations)
      await expect(connectClient(service.port, 'sbk_wrong', mode)).rejects.toThrow(/401|unauthorized|key/i);
  });
});
