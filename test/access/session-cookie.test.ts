import { expect, test } from 'vitest';
import { ofSession } from '../../src/access/session-cookie.ts';
import { requestWith } from '../support/request.ts';

test('a request with the key of its cookie is the same request: it knows that its body has been read', () => {
  let hasBeenRead = false;
  const headers = { host: 'localhost', 'stockbook-console': 'http', cookie: 'stockbook=sbk_1' };
  const request = ofSession(requestWith({ headers, isStreamed: () => hasBeenRead }));
  expect(request?.headers.authorization).toBe('Bearer sbk_1');
  expect(request?.isStreamed()).toBe(false);
  hasBeenRead = true;
  expect(request?.isStreamed()).toBe(true);
});
