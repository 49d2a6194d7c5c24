/** How far an order of the writes has got: the resource at a revision, and whether all that was answered until then can have been so. */

import type { Call, Yes } from '../history.ts';
import { wrongAnswer } from './answers.ts';
import type { Evidence } from './evidence.ts';
import { endOf } from './feed.ts';
import type { Learned } from './learned.ts';
import { type Counts, type Effect, Model } from './model.ts';
import type { RecordRead } from './reads.ts';
import type { Violation } from './violation.ts';
import type { Write } from './writes.ts';
import { unequal, type Wrong } from './wrong.ts';

export class Progress {
  readonly #evidence: Evidence;
  readonly #learned: Learned;
  readonly #model: Model;
  readonly #placed: Set<Write>;
  /** The reads of records that can be from now on, and have not been right yet. */
  #pending: readonly RecordRead[];
  /** How many reads of records have arrived. */
  #arrived: number;
  /** Of those that were made, and of those whose revision is not known: all before these are placed. */
  #nextMade: number;
  #nextOpen: number;
  /** The latest start of a write that is placed. */
  #latestStart: number;

  constructor(evidence: Evidence, learned: Learned, from?: Progress) {
    this.#evidence = evidence;
    this.#learned = learned;
    this.#model = new Model(evidence.resource, from === undefined ? undefined : from.#model);
    this.#placed = new Set(from === undefined ? [] : from.#placed);
    this.#pending = from === undefined ? [] : from.#pending;
    this.#arrived = from === undefined ? 0 : from.#arrived;
    this.#nextMade = from === undefined ? 0 : from.#nextMade;
    this.#nextOpen = from === undefined ? 0 : from.#nextOpen;
    this.#latestStart = from === undefined ? 0 : from.#latestStart;
  }

  get revision(): number {
    return this.#model.revision;
  }

  copy(): Progress {
    return new Progress(this.#evidence, this.#learned, this);
  }

  /** The writes that can have the next revision. */
  candidates(): readonly Write[] {
    const next = this.revision + 1;
    const known = this.#evidence.known.get(next);
    if (known !== undefined) return [known];
    return this.#evidence.open.filter((write) => {
      const { from, to, after } = this.#evidence.boundsOf(write);
      if (from > next || to < next || this.#placed.has(write)) return false;
      if ([...after].some((other) => !this.#placed.has(other))) return false;
      const effect = this.#model.effectOf(write.ask);
      if (effect === undefined || !hasEffect(effect) || !this.#hasExpectedId(write)) return false;
      return [...(this.#evidence.writtenBy.get(next) ?? [])].every((id) => effect.written.has(id));
    });
  }

  /** Gives the next revision to a write. Returns what is wrong then. */
  advance(write: Write): Violation | undefined {
    return this.#place(write) ?? this.check();
  }

  /** What is wrong if the next revision is no write's. */
  hole(): Violation {
    const next = this.revision + 1;
    return {
      rule: 'no holes',
      text: `No write that was asked for can have revision ${next} of ${this.#plural}.`,
      calls: [next - 1, next + 1].flatMap((revision) => this.#writersOf(revision)),
    };
  }

  /** What is wrong if this is the last revision. */
  checkEnd(): Violation | undefined {
    const missed = this.#missed(Number.POSITIVE_INFINITY);
    if (missed !== undefined)
      return {
        rule: 'acknowledged writes are seen',
        text: `A write of ${this.#plural} was acknowledged, but there is no revision that can be its.`,
        calls: missed.attempts,
      };
    const [read] = this.#pending;
    return read && this.#neverTrue(read, this.revision);
  }

  /** What reads at this revision have got. */
  check(): Violation | undefined {
    const { revision } = this;
    const overdue = this.#overdue();
    if (overdue !== undefined)
      return {
        rule: 'acknowledged writes are seen',
        text: `Responses show that a write has a revision of ${this.#plural} up to ${revision}, but none can be its.`,
        calls: overdue.attempts,
      };
    for (const { call, ask, answer } of this.#evidence.resourceReads.get(revision) ?? []) {
      const missed = this.#missed(call.start);
      if (missed !== undefined)
        return {
          rule: 'acknowledged writes are seen',
          text: `A read of ${this.#plural} at revision ${revision} started after a write was acknowledged, which has no revision up to that.`,
          calls: [...missed.attempts, call],
        };
      const wrong = answer && wrongAnswer(ask, answer, this.#model, this.#learned);
      if (wrong !== undefined)
        return {
          rule: ask.kind,
          text: `A read of ${this.#plural} at revision ${revision} is wrong: ${wrong.text}.`,
          calls: [...this.#writersOf(revision), call],
          ...(wrong.ids && { ids: wrong.ids }),
        };
    }
    return this.#checkIdle() ?? this.#checkRecordReads();
  }

  #place(write: Write): Violation | undefined {
    const revision = this.revision + 1;
    const floor = this.#evidence.floorAt(write.start);
    if (floor.revision >= revision)
      return {
        rule: 'writes respect time',
        text: `A write has revision ${revision} of ${this.#plural}, but started after a response had named ${floor.revision}.`,
        calls: [...write.attempts, ...(floor.call === undefined ? [] : [floor.call])],
      };
    this.#placed.add(write);
    const missed = this.#missed(write.start);
    if (missed !== undefined)
      return {
        rule: 'writes respect time',
        text: `A write was acknowledged before another one started, which has revision ${revision} of ${this.#plural}, but has none up to that.`,
        calls: [...missed.attempts, ...write.attempts],
      };
    const effect = this.#model.effectOf(write.ask);
    if (effect === undefined || !hasEffect(effect)) return this.#impossible(write, revision);
    const hasExpectedId = this.#hasExpectedId(write);
    this.#model.apply(effect);
    this.#latestStart = Math.max(this.#latestStart, write.start);
    const wrong = hasExpectedId
      ? this.#wrongResponse(write, effect.counts)
      : { text: `the id should be ${this.#model.lastId}` };
    if (wrong === undefined) return undefined;
    return {
      rule: 'writes',
      text: `The response to a write, revision ${revision} of ${this.#plural}, is wrong: ${wrong.text}.`,
      calls: write.attempts,
      ...(wrong.ids && { ids: wrong.ids }),
    };
  }

  #impossible({ ask, attempts }: Write, revision: number): Violation {
    const text = `A write has revision ${revision} of ${this.#plural}, but had to be refused, or had nothing to change`;
    if (!('id' in ask)) return { rule: 'writes', text: `${text}.`, calls: attempts };
    const state = this.#stateOf(ask.id);
    return { rule: 'writes', text: `${text}: ${state.text}.`, calls: [...attempts, ...state.calls], ids: [ask.id] };
  }

  #wrongResponse({ ask, yes }: Write, expected: Counts): Wrong | undefined {
    if (yes === undefined) return undefined;
    if (ask.kind === 'import') return this.#wrongCounts(yes, expected);
    if (ask.kind !== 'patch' || yes.isReplayed === true) return undefined;
    const version = this.#model.records.get(ask.id);
    return version && this.#learned.differs(Object(yes.body).data, ask.id, version, this.#model);
  }

  #wrongCounts({ body }: Yes, expected: Counts): Wrong | undefined {
    const { data } = Object(body);
    this.#learned.cursors.set(data.cursor, endOf(this.revision));
    const got = Object.fromEntries(Object.keys(expected).map((name) => [name, data[name]]));
    return unequal('the counts', expected, got);
  }

  /** Ids of creates are assigned one after another. */
  #hasExpectedId({ ask, yes }: Write): boolean {
    return ask.kind !== 'create' || yes === undefined || Object(yes.body).data.id === this.#model.lastId + 1;
  }

  /** A write that had ended by then, but is not placed. */
  #missed(moment: number): Write | undefined {
    const { made } = this.#evidence;
    this.#nextMade = this.#firstUnplaced(made, this.#nextMade);
    const earliest = made[this.#nextMade];
    return earliest !== undefined && earliest.end < moment ? earliest : undefined;
  }

  /** A write that should have been placed by now. */
  #overdue(): Write | undefined {
    const { open } = this.#evidence;
    this.#nextOpen = this.#firstUnplaced(open, this.#nextOpen);
    const next = open[this.#nextOpen];
    return next !== undefined && this.#evidence.boundsOf(next).to <= this.revision ? next : undefined;
  }

  #firstUnplaced(writes: readonly Write[], from: number): number {
    for (let index = from; ; index += 1) {
      const write = writes[index];
      if (write === undefined || !this.#placed.has(write)) return index;
    }
  }

  #checkIdle(): Violation | undefined {
    for (const { ask, yes, attempts } of this.#evidence.idle.get(this.revision) ?? []) {
      const effect = this.#model.effectOf(ask);
      const wrong = effect && yes && this.#wrongCounts(yes, effect.counts);
      if (wrong === undefined) continue;
      const text = `An import that changed nothing at revision ${this.revision} of ${this.#plural} is wrong: ${wrong.text}.`;
      return { rule: 'writes', text, calls: attempts };
    }
    return undefined;
  }

  #checkRecordReads(): Violation | undefined {
    const { recordReads } = this.#evidence;
    const reads = [...this.#pending];
    for (let read = recordReads[this.#arrived]; read !== undefined; read = recordReads[this.#arrived]) {
      if (this.#evidence.floorAt(read.call.start).revision > this.revision) break;
      reads.push(read);
      this.#arrived += 1;
    }
    // A write that had not been asked for when it ended was not seen by it, nor was any after that.
    const isOver = ({ call }: RecordRead) => call.end < this.#latestStart;
    const isRight = (read: RecordRead) =>
      !isOver(read) && this.#missed(read.call.start) === undefined && this.#isTrue(read);
    this.#pending = reads.filter((read) => !isRight(read));
    const over = this.#pending.find(isOver);
    return over && this.#neverTrue(over, this.revision - 1);
  }

  #isTrue({ id, found }: RecordRead): boolean {
    const version = this.#model.records.get(id);
    if (version === undefined || found === undefined) return version === found;
    if (version.revision !== found.revision) return false;
    return found.record === undefined || this.#learned.differs(found.record, id, version, this.#model) === undefined;
  }

  #neverTrue({ call, id }: RecordRead, last: number): Violation {
    const state = this.#stateOf(id);
    return {
      rule: 'record',
      text: `What a response said was true at no moment between its start and its end, up to revision ${last}: at revision ${this.revision}, ${state.text}.`,
      calls: [call, ...state.calls],
      ids: [id],
    };
  }

  /** What became of a record, and who did it. */
  #stateOf(id: number): { readonly text: string; readonly calls: readonly Call[] } {
    const what = `${this.#model.resource.name} ${id}`;
    const version = this.#model.records.get(id);
    if (version !== undefined) {
      const values = JSON.stringify(version.values);
      return {
        text: `${what} was as revision ${version.revision} wrote it, ${values}`,
        calls: this.#writersOf(version.revision),
      };
    }
    const removed = this.#model.removed.get(id);
    if (removed === undefined) return { text: `${what} had never existed`, calls: [] };
    return { text: `${what} had been removed by revision ${removed}`, calls: this.#writersOf(removed) };
  }

  #writersOf(revision: number): readonly Call[] {
    return this.#evidence.known.get(revision)?.attempts ?? [];
  }

  get #plural(): string {
    return this.#model.resource.plural;
  }
}

function hasEffect({ written, removed }: Effect): boolean {
  return written.size + removed.length > 0;
}
