/** Imported into the program with `--import`: its clock differs from the system's by as many milliseconds as a file says. */

import { readFileSync } from 'node:fs';

const SystemDate = Date;
const file = process.env['SHIFTED_CLOCK'] ?? '';

const now = () => {
  try {
    return SystemDate.now() + Number(readFileSync(file, 'utf8'));
  } catch {
    return SystemDate.now();
  }
};

globalThis.Date = new Proxy(SystemDate, {
  construct: (target, args: [], newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new SystemDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
