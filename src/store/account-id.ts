/** A number that is never assigned to a second account. */
export type AccountId = number;
