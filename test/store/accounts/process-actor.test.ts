/** Who the audit trail says ran a command. */

import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { processActor } from '../../../src/store/accounts/process-actor.ts';

const ROOT = 0;
const user = userInfo().username;

test('sudo says who became root', () => {
  expect(processActor({ SUDO_USER: 'alice' }, ROOT).name).toBe(`alice as ${user}`);
  expect(processActor({}, ROOT).name).toBe(user);
});

test('another user cannot claim to be somebody else', () => {
  expect(processActor({ SUDO_USER: 'alice' }, 1_000).name).toBe(user);
});
