/** The limits of a filter. Each one bounds the work that a single request can cause. */

/** The longest filter text, in bytes of UTF-8. */
export const MAX_FILTER_BYTES = 32 * 1024;

/** The maximum number of conditions in one filter. */
export const MAX_CONDITIONS = 200;

/** How deep groups may nest: `((a=1))` has depth 2. */
export const MAX_DEPTH = 20;

/** The maximum number of values in one list. */
export const MAX_LIST_ITEMS = 1_000;
