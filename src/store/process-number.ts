/** Whether the process that left something behind, under its number, is still there. */

/** A process with our own number is one that has ended: containers number theirs alike. */
export function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
