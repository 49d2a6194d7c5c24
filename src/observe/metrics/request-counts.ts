/** Counts requests and events. Whatever clients send, the number of counters is bounded. */

import { type ProblemCode, registry } from '../../problem/registry.ts';
import { Histogram } from '../../schedule/histogram.ts';
import type { RequestCompleted, ServiceEvent } from '../events.ts';
import { labeled, type Samples, type Series, single } from './samples.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'QUERY', 'OPTIONS', 'other'] as const;

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

const PROBLEM_CODES = Object.keys(registry).filter((code): code is ProblemCode => Object.hasOwn(registry, code));

interface RouteCounts {
  /** By method, then by status class; sparse. */
  readonly requests: Map<string, number[]>;
  /** By status class; sparse. */
  readonly durations: Histogram[];
}

export class RequestCounts {
  readonly #routes = new Map<string, RouteCounts>();
  // An increase from nothing to 1 would go unnoticed, so all of them start at 0.
  readonly #problems = new Map(PROBLEM_CODES.map((code) => [code, 0]));
  readonly #events: Map<ServiceEvent['kind'], number>;
  #bytes = 0;
  #rows = 0;

  constructor(events: readonly ServiceEvent['kind'][]) {
    this.#events = new Map(events.filter((kind) => kind !== 'request completed').map((kind) => [kind, 0]));
  }

  count(event: ServiceEvent): void {
    if (event.kind === 'request completed') this.#countRequest(event);
    else this.#events.set(event.kind, (this.#events.get(event.kind) ?? 0) + 1);
  }

  #countRequest({ route, method, status, latency, problem, bytes, rows }: RequestCompleted): void {
    const counts = this.#countsOf(route);
    const statusClass = Math.max(0, Math.floor(status / 100) - 1);
    const known = counts.requests.get(method) ?? counts.requests.get('other');
    if (known !== undefined) known[statusClass] = (known[statusClass] ?? 0) + 1;
    let durations = counts.durations[statusClass];
    if (durations === undefined) {
      durations = new Histogram();
      counts.durations[statusClass] = durations;
    }
    durations.add(latency);
    if (problem !== undefined) this.#problems.set(problem, (this.#problems.get(problem) ?? 0) + 1);
    this.#bytes += bytes;
    this.#rows += rows ?? 0;
  }

  #countsOf(route: string): RouteCounts {
    const known = this.#routes.get(route);
    if (known !== undefined) return known;
    const counts = { requests: new Map(METHODS.map((method) => [method, []])), durations: [] };
    this.#routes.set(route, counts);
    return counts;
  }

  get stats(): Samples {
    const requests: Series[] = [];
    const durations: Series[] = [];
    for (const [route, counts] of this.#routes) {
      for (const [method, byClass] of counts.requests)
        byClass.forEach((value, index) => {
          requests.push({ labels: [route, method, classOf(index)], value });
        });
      counts.durations.forEach((histogram, index) => {
        durations.push({ labels: [route, classOf(index)], value: histogram.stats });
      });
    }
    return {
      stockbook_http_requests_total: requests,
      stockbook_http_request_duration_seconds: durations,
      stockbook_http_problems_total: labeled(this.#problems),
      stockbook_http_response_bytes_total: single(this.#bytes),
      stockbook_http_rows_total: single(this.#rows),
      stockbook_events_total: labeled(this.#events),
    };
  }
}

function classOf(index: number): string {
  return STATUS_CLASSES[index] ?? 'other';
}
