/** How long anything may take in a test, in milliseconds: guards against hangs, not limits on speed, since machines may be busy with something else. */

/** A whole test, or what is done before and after it. */
export const DEADLINE = 180_000;

/** What a test waits for: so much less that a failure shows what it was. */
export const LONGEST_WAIT = 120_000;
