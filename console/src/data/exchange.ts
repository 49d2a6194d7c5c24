/** What was sent and received once. */

export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** The parameters, which are in the URL or in the body. */
  readonly query: URLSearchParams;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** When it was sent, in milliseconds since the page was opened. */
  readonly startedAt: number;
  /** From sending the request to having read the response. Undefined if the service waited for a change before it responded. */
  readonly milliseconds: number | undefined;
  /** The bytes that were received, with headers. Undefined if the browser does not say. */
  readonly transferred: number | undefined;
}
