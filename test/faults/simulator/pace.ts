/** Whether a program sends requests as seldom as its documentation says. */

import type { Sent } from './network.ts';
import { MINUTE, SECOND } from './time.ts';

/** The longest `Retry-After` that is honoured, in milliseconds. */
const LONGEST_RETRY_AFTER = MINUTE;

/** Sums of times are not exact, in milliseconds. */
const ROUNDING = 1;

/** How many requests there may be in a minute in which all fail: at first, pauses are short. */
const MOST_IN_FIRST_MINUTE = { odoo: 40, stockbook: 120 };
const MOST_LATER = { odoo: 10, stockbook: 40 };

/** After how long pauses must have become long, in milliseconds. */
const GROWN = 5 * MINUTE;

/** Of one host. Throws if there are too many. */
export function checkPace(sent: readonly Sent[], host: keyof typeof MOST_LATER): void {
  const requests = sent.filter((each) => each.host === host);
  let failingSince: number | undefined;
  for (const [index, request] of requests.entries()) {
    const before = requests[index - 1];
    if (before === undefined || before.instance !== request.instance) {
      failingSince = undefined;
      continue;
    }
    const pause = request.at - (before.ended ?? before.at);
    const asked = Math.min(before.retryAfter, LONGEST_RETRY_AFTER);
    if (host === 'odoo' && pause < asked - ROUNDING)
      throw new Error(`${request.path} was requested after ${pause} ms, although ${asked} ms were asked for`);
    failingSince = before.fault === 'down' ? (failingSince ?? before.at) : undefined;
    if (failingSince === undefined) continue;
    const most = request.at - failingSince > GROWN ? MOST_LATER[host] : MOST_IN_FIRST_MINUTE[host];
    const earlier = requests[index - most];
    if (
      earlier !== undefined &&
      earlier.instance === request.instance &&
      earlier.at >= failingSince &&
      request.at - earlier.at < MINUTE
    )
      throw new Error(
        `${most} requests were sent to ${host} in ${(request.at - earlier.at) / SECOND} s, although all of them failed`,
      );
  }
}
