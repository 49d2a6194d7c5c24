/** The options of methods. One that a method does not have is an error: ignored, a mistyped `dryRun` would make an import. */

/** What every method accepts, along with its own options. */
export interface RequestOptions {
  /** Ends the request and its retries, and with them the call. */
  readonly signal?: AbortSignal | undefined;
  /** How long an attempt may take, and how long a stream may be silent, in milliseconds. Default: 30,000. */
  readonly timeout?: number | undefined;
  /**
   * How often a failed request is repeated. Default: 4. A request that the service refuses for now, with `Retry-After`, has not
   * failed: it waits its turn, until the signal aborts. 0 means that nothing is repeated.
   */
  readonly retries?: number | undefined;
}

/** The names of all options, which the compiler compares with the type. */
export type NamesOf<Options> = { readonly [Name in keyof Options]-?: 1 };

export const REQUEST_OPTIONS: NamesOf<RequestOptions> = { signal: 1, timeout: 1, retries: 1 };

/** Throws if there is an option that the method does not have. */
export function checkOptions<Options extends object>(
  method: string,
  options: Options,
  names: NamesOf<NoInfer<Options>>,
): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const all = Object.keys(names);
  // As parameters of requests are written: dry_run.
  const meant = all.find((name) => lettersOf(name) === lettersOf(unknown));
  const help = meant === undefined ? `Its options are ${all.join(', ')}.` : `Did you mean ${meant}?`;
  throw new TypeError(`${method} has no option ${unknown}. ${help}`);
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
