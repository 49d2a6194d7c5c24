/** A number that is never assigned to a second account. */
export type AccountId = number;

/** No account has this number. It stands for what is about none, or about several. */
export const NO_ACCOUNT: AccountId = 0;
