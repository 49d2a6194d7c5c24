/**
 * A `fetch` that reports how much of a file has been sent. No browser's `fetch` does; `XMLHttpRequest` does, and is used for
 * nothing else. The file is the body as it is: the browser reads it from the disk while it is sent.
 */

export function fetchWithProgress(onSent: (bytes: number) => void): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      if (body instanceof ReadableStream) throw new TypeError('a stream cannot be sent this way');
      signal?.throwIfAborted();
      const request = new XMLHttpRequest();
      request.open(method, input instanceof Request ? input.url : input);
      request.responseType = 'blob';
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
      const abort = () => request.abort();
      signal?.addEventListener('abort', abort);
      request.addEventListener('loadend', () => {
        signal?.removeEventListener('abort', abort);
        if (request.status === 0) reject(signal?.aborted ? signal.reason : new TypeError('the connection was lost'));
        else resolve(responseOf(request));
      });
      request.send(body ?? null);
    });
}

function responseOf(request: XMLHttpRequest): Response {
  const { status, response } = request;
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  // A response with one of these must not have a body.
  return new Response(status === 204 || status === 304 ? null : response, { status, headers });
}
