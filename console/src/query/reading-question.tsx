/** Asks what is meant by a value that can be read in two ways. */

import { useEffect, useRef } from 'react';
import { countOf } from '../format/values.ts';
import { Button } from '../ui/button.tsx';
import type { ConditionDraft } from './condition-draft.ts';
import type { Question } from './meaning-of-draft.ts';
import './reading-question.css';

export interface ReadingQuestionProps {
  readonly question: Question;
  /** Whether nothing else can be done before it is answered. */
  readonly isPressing: boolean;
  readonly onAnswer: (draft: ConditionDraft) => void;
}

export function ReadingQuestion({ question, isPressing, onAnswer }: ReadingQuestionProps) {
  const { text, others, answers } = question;
  const group = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (isPressing) group.current?.querySelector('button')?.focus();
  }, [isPressing]);
  return (
    <fieldset className="reading-question" ref={group}>
      <legend>
        <span role="status">
          “{text}”{others > 0 && ` and ${countOf(others, 'other value', 'other values')}`} can be read in{' '}
          {answers.length === 2 ? 'two' : answers.length} ways:
        </span>
      </legend>
      {answers.map(({ label, draft }) => (
        <Button onPress={() => onAnswer(draft)} key={label}>
          {label}
        </Button>
      ))}
    </fieldset>
  );
}
