/** The service cannot start. The message says why and what to do about it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
