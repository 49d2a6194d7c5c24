/** The response to the current view as it was received: status, time, size, headers and JSON. */

import { type ReactNode, useSyncExternalStore } from 'react';
import { Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import { apiPath } from '../../../src/catalog/resource.ts';
import { searchParams } from '../../../src/client/query.ts';
import { utf8Length } from '../../../src/filter/utf8-length.ts';
import type { Exchange } from '../data/exchange.ts';
import { listQuery, useList } from '../data/use-list.ts';
import { formatBytes, formatMilliseconds } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { readableQuery } from '../view/readable-query.ts';
import { useView } from '../view/use-view.ts';
import { JsonLines } from './json-lines.tsx';
import { cacheStatusOf, headerOf, linesOf, statusOf } from './response-facts.ts';
import './response-panel.css';

export default function ResponsePanel() {
  const { exchanges } = useSession();
  const { view } = useView();
  const { isPlaceholderData } = useList();
  const requested = listQuery(view);
  const query = searchParams(requested);
  const added = requested.fields.filter((name) => !view.fields.includes(name));
  const exchange = useSyncExternalStore(exchanges.subscribe, () => exchanges.latest(apiPath(view.resource), query));
  if (exchange === undefined)
    return (
      <Notice title={isPlaceholderData ? 'Waiting for the response' : 'No response yet'}>
        <p>It appears here when it arrives.</p>
      </Notice>
    );
  return (
    <Response exchange={exchange}>
      {added.length > 0 && (
        <p className="response-panel-note">
          The console also requests {added.join(' and ')}, to tell records apart, and which of them are in use.
        </p>
      )}
    </Response>
  );
}

interface ResponseProps {
  readonly exchange: Exchange;
  /** About the request. */
  readonly children: ReactNode;
}

function Response({ exchange, children }: ResponseProps) {
  const { method, url, headers, body, milliseconds, transferred } = exchange;
  const { cache, source } = cacheStatusOf(exchange);
  const coding = headerOf(exchange, 'content-encoding');
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Status', statusOf(exchange)],
    ['Time', milliseconds === undefined ? 'sent on change (live)' : formatMilliseconds(milliseconds)],
    ['Size', formatBytes(utf8Length(body))],
    [
      'Transferred',
      transferred === undefined ? undefined : `${formatBytes(transferred)}${coding ? `, ${coding}` : ''}`,
    ],
    ['Cache', cache],
    ['Total', source],
    ['Request id', headerOf(exchange, 'x-request-id')],
    ['Entity tag', headerOf(exchange, 'etag')],
  ];
  return (
    <div className="response-panel">
      <h2 className="visually-hidden">Response</h2>
      <p className="response-panel-request">
        <code>
          <b>{method}</b> {readableQuery(url.slice(location.origin.length))}
        </code>
      </p>
      {children}
      <dl className="response-panel-facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Disclosure className="response-panel-headers">
        <Heading level={2} className="response-panel-heading">
          <Button slot="trigger" look="quiet">
            <Icon name="right" />
            {headers.length} headers
          </Button>
        </Heading>
        <DisclosurePanel>
          <dl className="response-panel-facts">
            {headers.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </DisclosurePanel>
      </Disclosure>
      <div className="response-panel-body">
        <h2 className="response-panel-heading">Body</h2>
        <CopyButton text={() => body} label="Copy the body" />
      </div>
      <JsonLines lines={linesOf(exchange)} />
    </div>
  );
}
