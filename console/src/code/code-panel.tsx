/** The current view as a request in several languages, to be copied. */

import { useState } from 'react';
import { Choice } from '../ui/choice.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { readPreference, writePreference } from '../ui/preference.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { requestOf, SCOPES, type Scope } from './api-request.ts';
import { LANGUAGE_NAMES, type Language, languages } from './languages.ts';
import './code-panel.css';

const SCOPE_TITLES: Readonly<Record<Scope, string>> = { page: 'This page', all: 'All records' };

export default function CodePanel() {
  const { view } = useView();
  const [name, setName] = useState(() => readPreference('code-language', LANGUAGE_NAMES));
  const [scope, setScope] = useState(() => readPreference('code-scope', SCOPES));
  const language: Language = languages[name];
  const request = requestOf(view, location.origin, scope);
  const code = language.print(request);
  return (
    <div className="code-panel">
      <Choice
        label="Language"
        options={LANGUAGE_NAMES.map((id) => ({ id, title: languages[id].title }))}
        chosen={name}
        onChoose={(chosen) => {
          setName(chosen);
          writePreference('code-language', chosen);
        }}
      />
      {request.result !== 'groups' && (
        <Choice
          label="Records"
          options={SCOPES.map((id) => ({ id, title: SCOPE_TITLES[id] }))}
          chosen={scope}
          onChoose={(chosen) => {
            setScope(chosen);
            writePreference('code-scope', chosen);
          }}
        />
      )}
      <section className="code-panel-code" aria-label={`This view in ${language.title}`}>
        <pre>
          <code>{code}</code>
        </pre>
        <CopyButton text={() => code} label={`Copy ${language.title}`} />
      </section>
      <p className="code-panel-note">{language.note}</p>
      {checkFilter(view.resource, view.filter).kind === 'invalid' && (
        <p className="code-panel-note">The filter is invalid: the service will reject this request.</p>
      )}
    </div>
  );
}
