/** Node's request as the application sees it. */

import type { Problem } from '../problem/problem.ts';
import type { Request, RequestHeaders } from '../request/request.ts';
import { requestId } from '../request/request-id.ts';
import { readTarget } from '../request/target.ts';
import { readTrace } from '../request/trace-context.ts';
import type { TrustedProxies } from '../request/trusted-proxies.ts';
import type { Exchange } from './exchange.ts';
import { readBody } from './incoming-body.ts';
import { streamBody } from './incoming-stream.ts';

export function toRequest(exchange: Exchange, proxies: TrustedProxies): Request {
  const { message, deadline } = exchange;
  const { method = '', rawHeaders, httpVersion } = message;
  const headers: RequestHeaders = message.headers;
  const peer = message.socket.remoteAddress ?? '';
  const { target, host } = originForm(message.url ?? '/');
  let body: Promise<Uint8Array | Problem> | undefined;
  return {
    id: requestId(message.headers['x-request-id']),
    address: proxies.clientOf(peer, headers),
    scheme: proxies.schemeOf(peer, headers),
    deadline,
    method,
    target: readTarget(target),
    httpVersion,
    headers: host === undefined ? headers : { ...headers, host },
    rawHeaders,
    trace: readTrace(headers.traceparent),
    body(maxBytes) {
      body ??= readBody(exchange, maxBytes);
      return body;
    },
    stream: (maxBytes) => streamBody(exchange, maxBytes),
    isStreamed: () => exchange.isStreamed,
  };
}

/** RFC 9112, section 3.2.2: if the target is an absolute URL, its host overrides the Host header. */
function originForm(url: string): { readonly target: string; readonly host?: string } {
  if (url.startsWith('/')) return { target: url };
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return { target: url };
  return { target: rest.startsWith('/') ? rest : `/${rest}`, host };
}
