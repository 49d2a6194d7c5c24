/**
 * With `STOCKBOOK_TEST_DELAYS`, in milliseconds, half of what the console waits for comes up to that much later: responses, sizes that
 * are observed, and updates that React schedules. A test that fails then does not wait for what it looks at, or the console loses what
 * comes in between.
 */

import type { BrowserContext } from 'playwright-core';

export async function delayPages(context: BrowserContext): Promise<void> {
  const longest = Number(process.env['STOCKBOOK_TEST_DELAYS'] ?? 0);
  if (longest > 0) await context.addInitScript(`(${DELAY})(${longest})`);
}

const DELAY = `(longest) => {
  // The page's own may be replaced by a test that sets the clock.
  const wait = window.setTimeout.bind(window);
  const delay = (run) => wait(run, Math.random() < 0.5 ? 0 : Math.random() * longest);

  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...message) {
    delay(() => postMessage.apply(this, message));
  };

  const Observer = window.ResizeObserver;
  window.ResizeObserver = class extends Observer {
    constructor(callback) {
      super((...observed) => delay(() => callback(...observed)));
    }
  };

  const { fetch } = window;
  window.fetch = async (...request) => {
    const response = await fetch(...request);
    await new Promise(delay);
    return response;
  };
}`;
