/** What the benchmark is doing, on stderr: a line that changes on a terminal, else a line for each new thing. */

const { stderr } = process;
let last = '';

export const progress = {
  /** `detail` is shown on a terminal alone. */
  show(what: string, detail = ''): void {
    if (stderr.isTTY) stderr.write(`\r\x1b[K${what}${detail}`);
    else if (what !== last) stderr.write(`${what}\n`);
    last = what;
  },
  end(): void {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  },
};
