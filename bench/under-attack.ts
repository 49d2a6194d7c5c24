/** The contenders of the case `bully`: the lanes of a well-behaved account without an attack, and during each. */

import type { AttackCommand, AttackJob, AttackReport } from './attacker.ts';
import type { Attack } from './attacks.ts';
import { aloneName, attackedName, type Case, type Round } from './cases.ts';
import type { Contenders, TestBed } from './contender.ts';
import { attackDatabase } from './databases.ts';
import { loadLanes } from './loads.ts';
import { nextMessage, type Running, startScript } from './processes.ts';
import { serve } from './stockbook.ts';

/** The most seconds that an attack goes on after the end of the measurement, if the benchmark fails to stop it. */
const OVERTIME = 30;

/** All of them are measured on one server, which has a database of its own. */
export async function contendersUnderAttack(one: Case, attacks: readonly Attack[], bed: TestBed): Promise<Contenders> {
  const { program } = bed.instances[0];
  const database = await attackDatabase(bed.engine, program, bed.rows);
  const server = await serve(program, database.url);
  const attacker = startScript('attacker.ts', []);
  let measurements = 0;
  const measure = async (nameOf: (lane: string) => string): Promise<Round> => {
    // No two measurements send the same requests, whose responses would be cached.
    measurements += 1;
    const { rows, keys } = database;
    const job = { name: one.name, round: measurements, rows, port: server.port, keys, seconds: bed.seconds };
    const lanes = await loadLanes(bed.loads[0], { kind: 'lanes', ...job });
    return Object.fromEntries(
      Object.entries(lanes).map(([lane, load]) => [
        nameOf(lane),
        { value: one.value?.(load, rows) ?? load.rate, load },
      ]),
    );
  };
  const measureDuring = async (attack: Attack): Promise<Round> => {
    const stop = await startAttack(attacker, {
      kind: 'attack',
      name: attack.name,
      port: server.port,
      key: database.keys[1] ?? '',
      rows: database.attackerRows,
      seconds: bed.seconds + OVERTIME,
    });
    const samples = await measure((lane) => attackedName(lane, attack));
    await stop();
    return samples;
  };
  return {
    all: [
      { name: 'alone', measure: () => measure(aloneName) },
      ...attacks.map((attack) => ({ name: attack.name, measure: () => measureDuring(attack) })),
    ],
    stop: async () => void (await Promise.all([server.stop(), attacker.stop()])),
  };
}

/** Resolves once the attack has its first response, to a function that ends it. */
async function startAttack({ child }: Running, job: AttackJob): Promise<() => Promise<void>> {
  const next = async (kind: 'started' | 'ended') => {
    const report = await nextMessage(child, isAttackReport);
    if ('error' in report) throw new Error(report.error);
    if (report.kind !== kind) throw new Error(`the attack "${job.name}" has ${report.kind} too early`);
  };
  const started = next('started');
  child.send(job satisfies AttackCommand);
  await started;
  return async () => {
    const ended = next('ended');
    child.send({ kind: 'stop' } satisfies AttackCommand);
    await ended;
  };
}

function isAttackReport(received: unknown): received is AttackReport {
  return typeof received === 'object' && received !== null && ('kind' in received || 'error' in received);
}
