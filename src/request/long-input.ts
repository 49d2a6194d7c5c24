/** Reading a longer query string, in characters, or body, in bytes, takes up to a millisecond or more, so it waits for a turn of its own. */
export const LONG_INPUT = 2_000;

/** Resolves in a turn of the event loop in which no other long input is read. */
export type Turn = () => Promise<void>;
