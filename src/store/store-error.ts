/** The store cannot answer now, through no fault of the request. Engines translate their drivers' errors to this. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** Seconds after which it is worth trying again. */
  readonly retryAfter: number;

  constructor(message: string, options: { readonly retryAfter: number; readonly cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

/** The database cannot be used at all: its file, its address or its version is wrong. The message says what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
