/** What a crash could lose of what was not synchronized: everything, each single call, some combinations, and a part of the last write. */

import type { Random } from '../../support/random.ts';
import type { Disk, Loss, Remains } from './disk.ts';

/** Disks write sectors, and file systems pages, each of them completely or not at all. */
const SECTOR = 512;
const PAGE = 4_096;

export interface Extent {
  /** Of no more calls than this, all combinations are lost. Of more, */
  readonly all: number;
  /** how many single ones, chosen at random, */
  readonly singles: number;
  /** and how many combinations that are drawn. */
  readonly subsets: number;
}

/** In the shares of calls that combinations lose. */
const SHARES = [0.1, 0.5, 0.9] as const;

/** One in so many writes that combinations leave is torn. */
const TORN = 4;

/** Apart from none. */
export function* lossesOn(disk: Disk, random: Random, { all, singles, subsets }: Extent): Generator<Loss> {
  const { losable } = disk;
  const last = losable.at(-1);
  if (last === undefined) return;
  if (last === disk.calls) for (const to of tearsOf(disk, last)) yield new Map([[last, { from: 0, to }]]);
  if (losable.length <= all) {
    for (let n = 1; n < 2 ** losable.length; n += 1) yield losing(losable.filter((_, index) => (n >> index) % 2 === 1));
    return;
  }
  yield losing(losable);
  for (const call of random.sample(losable, singles)) yield losing([call]);
  // The others were written in another order.
  yield losing(losable.slice(0, -1));
  for (let n = 0; n < subsets; n += 1) yield combination(disk, losable, random);
}

function losing(calls: readonly number[]): Loss {
  return new Map(calls.map((call) => [call, 'nothing']));
}

/** After how many bytes the write may be torn: at the first sector, at the last one, and at each page. */
function tearsOf(disk: Disk, call: number): readonly number[] {
  const { offset = 0, length = 0 } = disk.extentOf(call) ?? {};
  const sectors = boundaries(offset, length, SECTOR);
  return [...new Set([...sectors.slice(0, 1), ...boundaries(offset, length, PAGE), ...sectors.slice(-1)])];
}

function boundaries(offset: number, length: number, unit: number): readonly number[] {
  const first = unit - (offset % unit);
  return Array.from({ length: Math.ceil(Math.max(0, length - first) / unit) }, (_, n) => first + n * unit);
}

function combination(disk: Disk, losable: readonly number[], random: Random): Loss {
  const share = random.pick(SHARES);
  const loss = new Map<number, Remains>();
  for (const call of losable) {
    if (random.chance(share)) loss.set(call, 'nothing');
    else if (random.below(TORN) === 0) {
      const extent = disk.extentOf(call);
      const tears = extent === undefined ? [] : boundaries(extent.offset, extent.length, SECTOR);
      if (extent === undefined || tears.length === 0) continue;
      const tear = random.pick(tears);
      // Of a write, the end may be there, and not its beginning.
      loss.set(call, random.chance(0.5) ? { from: 0, to: tear } : { from: tear, to: extent.length });
    }
  }
  return loss;
}
