/** The channel between two processes, without the processes. */

import { Channel } from '../../src/process/channel.ts';

/** Two ends of a channel. Messages arrive as a copy of what was sent, as between processes. */
export function connected() {
  const state = { isGone: false };
  const sendTo = (end: () => Channel) => (message: object, onError: (error: Error) => void) => {
    if (state.isGone) onError(new Error('the other process is gone'));
    else end().receive(structuredClone(message));
  };
  const primary: Channel = new Channel(sendTo(() => worker));
  const worker: Channel = new Channel(sendTo(() => primary));
  return { state, primary, worker };
}
