/**
 * How the values of a field are distributed: the bars of its histogram. If nearly all of them are in a small part of it, the bars show
 * that part, and one more at either end has what is beyond it.
 */

import type { Value } from '../data/records.ts';
import { andFilter } from '../query/edit-filter.ts';
import { type Bin, binsOf, bodyOf, type Stretch, withTails } from './bins.ts';
import type { Chart } from './charts.ts';
import type { Facet } from './facet.ts';
import { isRefused } from './facet-loader.ts';
import { type Period, periodFacet, periodFor } from './period.ts';
import { positionOf, type Range, selectRange } from './selection.ts';

export interface Distribution {
  readonly bins: readonly Bin[];
  /** Undefined for numbers. */
  readonly period: Period | undefined;
  /** The value of all records that have one, if that is the same number. */
  readonly only: number | undefined;
  /** How many records have no value. */
  readonly missing: number;
}

export interface DistributionRequest {
  readonly chart: Chart;
  readonly filter: string;
  /** Between which times the values are. */
  readonly span: Range;
  /** Whether tails are cut. */
  readonly isCut: boolean;
}

/** About how many ranges a chart of numbers has. */
const RANGES = 36;

/** How often the part that is left may have a tail again. */
const MAX_CUTS = 3;

type Load = (facet: string, filter: string) => Promise<Facet>;

export async function readDistribution(load: Load, request: DistributionRequest): Promise<Distribution> {
  const { chart, filter, span, isCut } = request;
  const whole = await readPart(load, chart, filter, span);
  let shown = whole;
  let below: readonly Bin[] = [];
  let above: readonly Bin[] = [];
  for (let cuts = 0; isCut && cuts < MAX_CUTS; cuts += 1) {
    const { bins } = shown;
    const body = bodyIn(shown);
    const finer = body && (await readBody(load, chart, filter, shown, body));
    if (body === undefined || finer === undefined || finer.bins.length <= body[1] - body[0]) break;
    below = [...below, ...bins.slice(0, body[0])];
    above = [...bins.slice(body[1]), ...above];
    shown = finer;
  }
  const bins = withTails(shown.bins, below, above);
  const only = bins.length === 1 && shown.period === undefined ? await onlyNumber(load, chart, filter) : undefined;
  return { bins, period: shown.period, only, missing: whole.missing };
}

interface Part extends Pick<Distribution, 'bins' | 'period' | 'missing'> {}

async function readPart(load: Load, { field, kind }: Chart, filter: string, span: Range): Promise<Part> {
  const period = kind === 'periods' ? periodIn(span) : undefined;
  const facet = period === undefined ? `${field.name}:${RANGES}` : periodFacet(field.name, period);
  const { ranges, values } = await load(facet, filter);
  return { bins: binsOf(ranges, period), period, missing: values.reduce((sum, { count }) => sum + count, 0) };
}

/** The part that is worth more bars. That is all of it if shorter periods fit: the span may be that of more records than there are. */
function bodyIn({ bins, period }: Part): Stretch | undefined {
  const all = [0, bins.length] as const;
  return period !== undefined && periodIn(spanOf(bins, all)) !== period ? all : bodyOf(bins);
}

/** Undefined if it cannot have more bars. */
async function readBody(
  load: Load,
  chart: Chart,
  filter: string,
  { bins, period }: Part,
  body: Stretch,
): Promise<Part | undefined> {
  const [from, to] = endsOf(bins, body);
  const span = spanOf(bins, body);
  if (period !== undefined && periodIn(span) === period) return undefined;
  try {
    return await readPart(load, chart, andFilter(filter, selectRange('', chart.field, from, to)), span);
  } catch (error) {
    // The filter has no room for two more conditions.
    if (isRefused(error)) return undefined;
    throw error;
  }
}

function endsOf(bins: readonly Bin[], [start, end]: Stretch): readonly [from: Value, to: Value] {
  return [bins[start]?.from ?? null, bins[end - 1]?.to ?? null];
}

function spanOf(bins: readonly Bin[], stretch: Stretch): Range {
  const [from, to] = endsOf(bins, stretch).map((end) => (end === null ? undefined : positionOf(end)));
  return { from, to };
}

function periodIn({ from = 0, to = 0 }: Range): Period {
  return periodFor(from, to);
}

/** Undefined if there are several. */
async function onlyNumber(load: Load, { field }: Chart, filter: string): Promise<number | undefined> {
  const { values } = await load(field.name, filter);
  const [first, ...others] = values.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  return others.length === 0 ? first : undefined;
}
