/** Lists as lines, all from one snapshot. */

import { canonical } from '../../plan/canonical.ts';
import { rowsOnPage } from '../../plan/page.ts';
import type { ExportPlan } from '../../plan/plan.ts';
import type { Chunk, Engine, Read } from '../engine/engine.ts';
import { exportStatement } from '../sql/list-statements.ts';
import type { ListState } from '../state/list-state.ts';
import type { States } from '../state/states.ts';
import type { Caller, Export, NoAccess } from '../store.ts';
import { isSameVersion } from '../version.ts';
import { jobFor } from './jobs.ts';
import { SlicedReads } from './sliced-reads.ts';

export class Exports {
  readonly #engine: Engine;
  readonly #states: States<ListState>;

  constructor(engine: Engine, states: States<ListState>) {
    this.#engine = engine;
    this.#states = states;
  }

  async open(caller: Caller, plan: ExportPlan): Promise<Export | NoAccess> {
    const snapshot = await this.#engine.stream(jobFor(caller, plan, 0));
    try {
      const facts = await this.#exportFacts(snapshot.read, caller, plan);
      if (facts === 'no access') {
        await snapshot.close();
        return facts;
      }
      const next = snapshot.lines(exportStatement(caller, plan, this.#engine.dialect));
      return exportOf(plan, facts, next, snapshot.close);
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  async #exportFacts(read: Read, caller: Caller, plan: ExportPlan): Promise<ExportFacts | NoAccess> {
    const slices = new SlicedReads(this.#engine, read, caller);
    const ledger = await slices.ledger(plan.resource);
    if (ledger === 'no access') return ledger;
    const { version } = ledger;
    if (plan.where === undefined) return { version, total: version.rows, source: 'ledger' };
    const filter = canonical(plan.where);
    const latest = this.#states.latest(caller.account, plan.resource);
    const state = latest !== undefined && isSameVersion(latest.version, version) ? latest : undefined;
    const known = state?.total(filter);
    if (known !== undefined) return { version, total: known, source: 'cached' };
    const total = await slices.total(plan, ledger);
    state?.keepTotal(filter, total);
    return { version, total, source: 'counted' };
  }
}

/** What is known about an export before its first line. */
type ExportFacts = Pick<Export, 'total' | 'version' | 'source'>;

function exportOf(
  plan: ExportPlan,
  facts: ExportFacts,
  next: () => Promise<Chunk | undefined>,
  close: () => Promise<void>,
): Export {
  const rows = plan.page === undefined ? facts.total : rowsOnPage(plan.page, facts.total);
  let missing = rows;
  return {
    ...facts,
    rows,
    async next() {
      const chunk = await next();
      missing -= chunk?.lines ?? 0;
      if (chunk === undefined && missing !== 0) throw new Error('the export does not have the rows that were counted');
      return chunk?.bytes;
    },
    close,
  };
}
