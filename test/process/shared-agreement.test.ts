/** Which PostgreSQL server the processes of a node use, without the processes and without servers. */

import { expect, test } from 'vitest';
import { primaryAgreement, serveClaims } from '../../src/process/shared-agreement.ts';
import { type FoundServer, OwnAgreement, type ServerHolder } from '../../src/store/server-agreement.ts';
import { connected } from '../support/channels.ts';

const A: FoundServer = { address: 'a:5432', identity: 'a' };
const B: FoundServer = { address: 'b:5432', identity: 'b' };

/** The primary process and two workers. */
function startNode() {
  const own = new OwnAgreement();
  const workers = [1, 2].map(() => {
    const { primary, worker } = connected();
    return { exit: serveClaims(primary, own), agreement: primaryAgreement(worker) };
  });
  const [one, other] = workers;
  if (one === undefined || other === undefined) throw new Error('there are no workers');
  return { own, one, other };
}

/** Its server accepts writes until it is said to be gone. */
function holderOn(agreement: Pick<OwnAgreement, 'release'>) {
  const state = { isGone: false, verified: 0 };
  const holder: ServerHolder = {
    async verify() {
      state.verified += 1;
      if (state.isGone) agreement.release(holder);
    },
  };
  return { holder, state };
}

test('the same server is for all', async () => {
  const { own, one, other } = startNode();
  for (const agreement of [own, one.agreement, one.agreement, other.agreement])
    expect(await agreement.claim(holderOn(agreement).holder, A)).toBeUndefined();
});

test('another server is refused while anybody uses the first, in whichever process', async () => {
  const { own, one, other } = startNode();
  for (const [user, newcomer] of [
    [own, one.agreement],
    [one.agreement, own],
    [one.agreement, other.agreement],
    [one.agreement, one.agreement],
  ] as const) {
    const { holder, state } = holderOn(user);
    expect(await user.claim(holder, A)).toBeUndefined();
    const { holder: another } = holderOn(newcomer);
    expect(await newcomer.claim(another, B)).toEqual(A);
    expect(state.verified).toBe(1);
    user.release(holder);
    expect(await newcomer.claim(another, B)).toBeUndefined();
    newcomer.release(another);
  }
});

test('a server that is gone is given up by all before another is used', async () => {
  const { own, one, other } = startNode();
  const users = [own, own, one.agreement, one.agreement].map((agreement) => ({ agreement, ...holderOn(agreement) }));
  for (const { agreement, holder } of users) await agreement.claim(holder, A);
  const { holder } = holderOn(other.agreement);
  for (const { state } of users) {
    expect(await other.agreement.claim(holder, B)).toEqual(A);
    state.isGone = true;
  }
  expect(await other.agreement.claim(holder, B)).toBeUndefined();
  expect(await own.claim(holderOn(own).holder, A)).toEqual(B);
});

test('a worker that exits uses nothing any more', async () => {
  const { own, one } = startNode();
  await one.agreement.claim(holderOn(one.agreement).holder, A);
  one.exit();
  expect(await own.claim(holderOn(own).holder, B)).toBeUndefined();
});

test('of two servers that are found at the same time, one is used', async () => {
  const { one, other } = startNode();
  const answers = await Promise.all([
    one.agreement.claim(holderOn(one.agreement).holder, A),
    other.agreement.claim(holderOn(other.agreement).holder, B),
  ]);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
});
