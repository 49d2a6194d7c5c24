/**
 * What people see in a browser: the console, the reference, the guides and the pages about errors. They show
 * nothing of any account; the console requests that, with a key. Each is made when it is first requested, and kept. A request can only choose from tables of them.
 */

import { builtInCatalog } from '../catalog/catalog.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { optionsReply, type Reply } from '../reply/reply.ts';
import { pageFormat, prefersHtml } from '../request/accept.ts';
import type { Request } from '../request/request.ts';
import { findPublicRoute } from '../request/route.ts';
import { checkRequestLine } from '../request/target.ts';
import { readAssets } from './assets.ts';
import { Console } from './console.ts';
import type { Descriptions } from './descriptions.ts';
import { failedPage } from './failed-page.ts';
import { readGuidePages } from './guides.ts';
import { html } from './html.ts';
import { ifBuilt, notBuilt } from './not-built.ts';
import { once } from './once.ts';
import { kept, type Page, pageReply } from './page.ts';
import { problemPages } from './problem-pages.ts';
import { referencePage, scalarBundle } from './reference.ts';

export class Pages {
  readonly #descriptions: Descriptions;
  readonly #reference = once(async () => kept(referencePage()));
  readonly #scalar = scalarBundle();
  readonly #console = new Console();
  readonly #assets = once(readAssets);
  readonly #guides = once(() => readGuidePages());
  readonly #problems = {
    html: once(async () => problemPages('html')),
    text: once(async () => problemPages('text')),
  };

  constructor(descriptions: Descriptions) {
    this.#descriptions = descriptions;
  }

  /** A browser gets a page that says what is wrong, which is the console's if nothing else has such paths; programs get the problem. */
  async respond(request: Request): Promise<Reply | Problem> {
    const outcome = await this.#find(request);
    if (!(outcome instanceof Problem) || !prefersHtml(request.headers.accept)) return outcome;
    const { path } = request.target;
    const isOfConsole = outcome.code === 'path_not_found' && !OTHERS.test(path);
    return (isOfConsole ? await this.#console.wrongPath() : undefined) ?? failedPage(outcome, path);
  }

  async #find(request: Request): Promise<Reply | Problem> {
    const route = findPublicRoute(request.method, request.target);
    if (route instanceof Problem) return route;
    if (route.kind === 'options') return optionsReply(route.allow);
    const tooLong = checkRequestLine(request);
    if (tooLong !== undefined) return tooLong;
    switch (route.kind) {
      case 'openapi':
        return pageReply(this.#descriptions.of(builtInCatalog), request);
      case 'reference':
        return pageReply(await this.#reference(), request);
      case 'scalar':
        return this.#scalar.reply(request);
      case 'asset':
        return chosen(await this.#assets(), request);
      case 'guide':
        return this.#guide(request);
      case 'console':
        return this.#console.page(request);
      case 'console asset':
        return this.#console.asset(request, route.parameter);
      case 'problem list':
      case 'problem page':
        return this.#problem(request);
    }
  }

  /** A guide, an image in one of them, or the list of guides. */
  async #guide(request: Request): Promise<Reply | Problem> {
    const pages = await ifBuilt(this.#guides());
    return pages === undefined ? notBuilt('guides', REFERENCE) : chosen(pages, request);
  }

  /** An error, or the list of all. */
  async #problem(request: Request): Promise<Reply | Problem> {
    const format = pageFormat(request.headers.accept);
    return format instanceof Problem ? format : chosen(await this.#problems[format](), request);
  }
}

/** Paths that the console does not have. */
const OTHERS = /^\/(?:api|assets|console|docs|problems)(?:\/|$)|\.\w+$/;

const REFERENCE = html`the <a href="/docs">reference</a>, in which you can send requests`;

function chosen(pages: ReadonlyMap<string, Page>, request: Request): Reply | Problem {
  const { path, location } = request.target;
  const page = location instanceof Problem ? undefined : pages.get(`${location.parent}/${location.name}`);
  return page === undefined ? notFound(path, [...pages.keys()]) : pageReply(page, request);
}

/** Suggests the path whose last segment is similar. */
function notFound(path: string, existing: readonly string[]): Problem {
  const names = existing.map(lastSegment);
  const meant = existing[names.indexOf(nearest(lastSegment(path), names) ?? '')];
  return new Problem('path_not_found', `There is nothing at ${quoted(path)}.`, {
    suggestion:
      meant === undefined ? 'See /docs/guides for all guides, and /problems for all errors.' : `Did you mean ${meant}?`,
  });
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
