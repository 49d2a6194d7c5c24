/** What can be read in several ways in a file, and what each of them would mean. An answer can be changed. */

import type { ImportChoice, ImportQuestion } from '@stockbook/client';
import { Icon } from '../ui/icon.tsx';
import { RadioList } from '../ui/radio-list.tsx';
import { type ImportSettings, type Parameter, READING_PARAMETERS } from './import-settings.ts';
import './file-questions.css';

export interface FileQuestionsProps {
  readonly questions: readonly ImportQuestion[];
  readonly settings: ImportSettings;
  readonly onSettings: (settings: ImportSettings) => void;
}

/** Several values may have the same meaning for what was found, as similar encodings have. */
function optionFor({ value, meaning }: ImportChoice) {
  const isWorthShowing = value.length > 1 && value !== 'true' && !meaning.includes(value);
  return { id: value, title: meaning, ...(isWorthShowing && { meaning: value }) };
}

/** What was answered: by the parameter of the question, or by that of a choice. */
function answerIn(settings: ImportSettings, asked: AnswerParameter, choices: readonly ImportChoice[]) {
  return (
    choices.find(({ parameter = asked, value }) => settings.get(parameter) === value)?.value ?? settings.get(asked)
  );
}

/** A choice may be for another parameter, and takes back what another one has set. */
function answered(
  settings: ImportSettings,
  asked: AnswerParameter,
  choices: readonly ImportChoice[],
  chosen: string,
): ImportSettings {
  const of = ({ parameter }: ImportChoice): AnswerParameter => parameter ?? asked;
  const cleared = choices.reduce((next, choice) => next.with(of(choice), undefined), settings);
  const choice = choices.find(({ value }) => value === chosen);
  return choice === undefined ? cleared : cleared.with(of(choice), chosen);
}

type AnswerParameter = Exclude<Parameter, 'map'>;

export function FileQuestions({ questions, settings, onSettings }: FileQuestionsProps) {
  return (
    <section className="file-questions" aria-label="Questions about the file">
      {questions.map(({ parameter: name, question, choices }) => {
        // In the address, the encoding has its own name.
        const parameter = READING_PARAMETERS.find((known) => known === (name === 'charset' ? 'encoding' : name));
        if (parameter === undefined) return <p key={name}>{question}</p>;
        const answer = answerIn(settings, parameter, choices);
        return (
          <div className="file-question" data-open={answer === undefined || undefined} key={parameter}>
            <Icon name={answer === undefined ? 'warning' : 'check'} />
            <RadioList
              label={question}
              options={choices.map(optionFor)}
              chosen={answer ?? null}
              onChoose={(value) => onSettings(answered(settings, parameter, choices, value))}
            />
          </div>
        );
      })}
    </section>
  );
}
