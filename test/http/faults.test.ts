import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { COMPANIES, checkRow, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  test('an internal error tells the caller nothing but its request id; the cause is an event for the log', async () => {
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    const reply = await service.send({ path: COMPANIES, headers: { 'x-request-id': 'find-me' } });
    expect(reply.status).toBe(500);
    expect(reply.json).toStrictEqual({
      type: '/problems/internal_error',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong inside the service.',
      code: 'internal_error',
      suggestion: expect.any(String),
      requestId: 'find-me',
    });
    expect(reply.text).not.toMatch(/misplaced|company|SELECT|sqlite|postgres|at \w+ \(/i);
    const fault = service.events.find((event) => event.kind === 'fault');
    expect(fault).toMatchObject({
      requestId: 'find-me',
      error: expect.objectContaining({ message: expect.stringContaining('company') }),
    });
    await checkRow(service, { name: 'other requests go on', request: { path: PRODUCTS }, status: 200 });
  });

  test('every request is an event, without its query', async () => {
    await service.send({ path: `${PRODUCTS}?filter=name*secret`, headers: { 'x-request-id': 'seen' } });
    await expect
      .poll(() => service.events.find((event) => event.kind === 'answered' && event.requestId === 'seen'))
      .toMatchObject({
        method: 'GET',
        path: PRODUCTS,
        status: 200,
        milliseconds: expect.any(Number),
      });
  });
});
