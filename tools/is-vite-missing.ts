/** Whether a build failed because the development dependencies are not installed. */
export function isViteMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'vite'")
  );
}
