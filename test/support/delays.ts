/**
 * With `STOCKBOOK_TEST_DELAYS`, in milliseconds, half of what the console waits for comes up to that much later: responses, sizes that
 * are observed, and updates that React schedules. A test that fails then does not wait for what it looks at, or the console loses what
 * comes in between.
 */

import type { BrowserContext } from 'playwright-core';
import { inject } from 'vitest';

export async function delayPages(context: BrowserContext): Promise<void> {
  const longest = Number(process.env['STOCKBOOK_TEST_DELAYS'] ?? 0);
  if (Number.isNaN(longest)) throw new Error('STOCKBOOK_TEST_DELAYS must be a number of milliseconds');
  if (longest > 0) await context.addInitScript(`(${DELAY})(${longest}, ${inject('seed')})`);
}

const DELAY = `(longest, seed) => {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  // The page's own may be replaced by a test that sets the clock.
  const wait = window.setTimeout.bind(window);
  const delay = (run) => wait(run, random() < 0.5 ? 0 : random() * longest);
  /** One after the other, as a browser delivers what comes from one object. */
  const inOrder = () => {
    let last = Promise.resolve();
    return (run) => {
      last = last.then(() => new Promise(delay)).then(run);
    };
  };

  const queues = new WeakMap();
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...message) {
    if (!queues.has(this)) queues.set(this, inOrder());
    queues.get(this)(() => postMessage.apply(this, message));
  };

  const Observer = window.ResizeObserver;
  window.ResizeObserver = class extends Observer {
    #isConnected = true;
    constructor(callback) {
      const later = inOrder();
      super((...observed) => later(() => this.#isConnected && callback(...observed)));
    }
    disconnect() {
      this.#isConnected = false;
      super.disconnect();
    }
  };

  const { fetch } = window;
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    await new Promise(delay);
    return response;
  };
}`;
