/** Progress on stderr: one line that is overwritten on a terminal, otherwise one line per step. */

const { stderr } = process;
let last = '';

export const progress = {
  /** `detail` is shown only on a terminal. */
  show(step: string, detail = ''): void {
    if (stderr.isTTY) stderr.write(`\r\x1b[K${step}${detail}`);
    else if (step !== last) stderr.write(`${step}\n`);
    last = step;
  },
  end(): void {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  },
};
