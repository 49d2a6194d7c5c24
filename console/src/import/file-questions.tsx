/** What can be read in several ways in a file, and what each of them would mean. An answer can be changed. */

import type { ImportQuestion } from '@stockbook/client';
import { Icon } from '../ui/icon.tsx';
import { RadioList } from '../ui/radio-list.tsx';
import { type ImportSettings, READING_PARAMETERS } from './import-settings.ts';
import './file-questions.css';

export interface FileQuestionsProps {
  readonly questions: readonly ImportQuestion[];
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
}

/** Several values may have the same meaning for what was found, as similar encodings have. */
function optionFor({ value, meaning }: ImportQuestion['choices'][number]) {
  return { id: value, title: meaning, ...(value.length > 1 && !meaning.includes(value) && { meaning: value }) };
}

export function FileQuestions({ questions, settings, onSettings }: FileQuestionsProps) {
  return (
    <section className="file-questions" aria-label="Questions about the file">
      {questions.map(({ parameter: name, question, choices }) => {
        const parameter = READING_PARAMETERS.find((known) => known === name);
        if (parameter === undefined) return <p key={name}>{question}</p>;
        const answer = settings.get(parameter);
        return (
          <div className="file-question" data-open={answer === undefined || undefined} key={parameter}>
            <Icon name={answer === undefined ? 'warning' : 'check'} />
            <RadioList
              label={question}
              options={choices.map(optionFor)}
              chosen={answer ?? null}
              onChoose={(value) => onSettings(settings.with(parameter, value))}
            />
          </div>
        );
      })}
    </section>
  );
}
